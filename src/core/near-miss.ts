/** Comparison of a value that was searched for with the values that a message has. */
import { criterionTargets, type CriterionName } from "./criteria.ts";
import { foldAddress, foldText } from "./fold.ts";
import { editDistance } from "./nearest-name.ts";

/** Difference between an expected value and the nearest actual one. */
export interface Difference {
  /** 0 for values that are equal but for a detail, 1 for values that have nothing in common. */
  readonly distance: number;
  /** Difference in words; null when the values have little in common. */
  readonly hint: string | null;
}

/** UTF-16 units of the expected value that are compared; the rest hardly changes which message is the nearest. */
const expectedLengthMax = 64;
/** UTF-16 units of an actual text that are compared. */
const actualLengthMax = 200;
/** Actual values that are compared. */
const actualCountMax = 10;
/** Edits up to which two values count as a typing error of each other, if they are at most a quarter of the value. */
const typingErrorMax = 3;

/** Returns the difference between a criterion's value and the nearest of a message's values. Takes bounded time. */
export function differenceOf(name: CriterionName, expected: string, actual: readonly string[]): Difference {
  const { kind } = criterionTargets[name];
  const compare = kind === "address" ? compareAddress : kind === "label" ? compareLabel : compareText;
  let nearest: Difference = { distance: 1, hint: actual.length === 0 ? "the message has none" : null };
  for (const value of actual.slice(0, actualCountMax)) {
    const difference = compare(expected, value);
    if (difference.distance < nearest.distance) nearest = difference;
  }
  return nearest;
}

function compareAddress(expected: string, actual: string): Difference {
  const [wanted, present] = [foldAddress(expected), foldAddress(actual)];
  const known = addressDifferences.find(({ applies }) => applies(wanted, present));
  if (known !== undefined) return known.difference;
  const difference = graded(distanceOf(wanted, present, "whole"), Math.max(wanted.length, present.length));
  if (difference.hint !== null) return difference;
  const domain = domainOf(wanted);
  const isSameDomain = domain !== "" && domain === domainOf(present);
  return isSameDomain ? { ...difference, hint: "differs only in its local part" } : difference;
}

interface AddressDifference {
  readonly difference: Difference;
  readonly applies: (wanted: string, present: string) => boolean;
}

/** Differences between two folded addresses that are recognised, first match first. */
const addressDifferences: readonly AddressDifference[] = [
  {
    difference: { distance: 0, hint: "whole addresses are compared: search for the address without a name" },
    applies: (wanted, present) => present !== "" && wanted.includes(`<${present}>`),
  },
  {
    difference: { distance: 0, hint: "differs only in white space" },
    applies: (wanted, present) => bare(wanted) === bare(present),
  },
  {
    difference: { distance: 0.1, hint: "differs only in its domain" },
    applies: (wanted, present) =>
      domainOf(wanted) !== "" && domainOf(present) !== "" && localPartOf(wanted) === localPartOf(present),
  },
  {
    difference: { distance: 0.1, hint: "differs only after the + of its local part" },
    applies: (wanted, present) =>
      domainOf(wanted) !== "" &&
      domainOf(wanted) === domainOf(present) &&
      untagged(localPartOf(wanted)) === untagged(localPartOf(present)),
  },
  {
    difference: { distance: 0.1, hint: "differs only in its country code" },
    applies: (wanted, present) =>
      phone.test(wanted) && phone.test(present) && (wanted.endsWith(present) || present.endsWith(wanted)),
  },
  {
    difference: { distance: 0.2, hint: "whole addresses are compared, not parts of them" },
    applies: (wanted, present) => wanted !== "" && present.includes(wanted),
  },
];

const phone = /^\d{7,}$/;

function compareLabel(expected: string, actual: string): Difference {
  if (foldText(expected) === foldText(actual)) return { distance: 0, hint: "differs only in letter case" };
  if (bare(expected) === bare(actual)) return { distance: 0, hint: "differs only in white space" };
  return graded(distanceOf(expected, actual, "whole"), Math.max(expected.length, actual.length));
}

function compareText(expected: string, actual: string): Difference {
  const [wanted, present] = [foldText(expected), foldText(actual.slice(0, 4 * actualLengthMax))];
  if (bare(wanted) !== "" && bare(present).includes(bare(wanted)))
    return { distance: 0, hint: "differs only in white space" };
  if (plain(wanted) !== "" && plain(present).includes(plain(wanted)))
    return { distance: 0.05, hint: "differs only in accents, punctuation or white space" };
  return graded(distanceOf(wanted, present, "part"), wanted.length);
}

function graded(edits: number, length: number): Difference {
  const compared = Math.max(1, Math.min(length, expectedLengthMax));
  const isTypingError = edits <= typingErrorMax && 4 * edits <= compared && length <= expectedLengthMax;
  const unit = edits === 1 ? "character" : "characters";
  return {
    distance: Math.min(1, edits / compared),
    hint: isTypingError ? `differs in ${String(edits)} ${unit}` : null,
  };
}

function domainOf(address: string): string {
  const at = address.lastIndexOf("@");
  return at === -1 ? "" : address.slice(at + 1);
}

function localPartOf(address: string): string {
  const at = address.lastIndexOf("@");
  return at === -1 ? address : address.slice(0, at);
}

function untagged(local: string): string {
  const plus = local.indexOf("+");
  return plus === -1 ? local : local.slice(0, plus);
}

function bare(text: string): string {
  return text.replaceAll(/\s+/gu, "");
}

function plain(text: string): string {
  return text.normalize("NFKD").replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Returns the distance between the starts of two texts, so that it takes bounded time. */
function distanceOf(expected: string, actual: string, scope: "whole" | "part"): number {
  return editDistance(expected.slice(0, expectedLengthMax), actual.slice(0, actualLengthMax), scope);
}
