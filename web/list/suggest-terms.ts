/** Suggestions of operators and values for the search box. */
import { operatorTerm, termsOf } from "../navigation/mail-query.ts";
import { operatorOf, operatorValues } from "../navigation/query-text.ts";
import { strings } from "../strings.ts";

/** Values that are known on the server. */
export interface KnownValues {
  readonly tags: readonly string[];
  /** Addresses of senders and recipients in the list. */
  readonly senders: readonly string[];
  readonly recipients: readonly string[];
  /** Whole searches, last one first. */
  readonly recent: readonly string[];
}

/** Suggested text of the search box. */
export interface TermSuggestion {
  readonly term: string;
  readonly meaning: string;
  /** Text of the box with the suggestion. */
  readonly text: string;
  /** Whether the term is complete; otherwise a value follows. */
  readonly isComplete: boolean;
}

const suggestionCountMax = 8;
const valueCountMax = 4;

/**
 * Returns suggestions for the last term of a text: all operators when the text ends with a blank, and recent searches with the
 * common operators when it is empty.
 */
export function suggestTerms(text: string, known: KnownValues): readonly TermSuggestion[] {
  if (text === "") return [...known.recent.map(recentSearch), ...commonOperators()];
  const last = /\s$/.test(text) ? "" : (termsOf(text).at(-1) ?? "");
  const [, sign = "", word = ""] = /^([-!]?)(.*)$/s.exec(last) ?? [];
  const before = text.slice(0, text.length - last.length);
  const complete = (operator: string, value: string): TermSuggestion => {
    const term = sign + operatorTerm(operator, value);
    return { term, meaning: labelOf(operator), text: before + term, isComplete: true };
  };
  const given = operatorOf(word);
  if (given !== null) {
    const typed = given.value.toLowerCase();
    const values = valuesOf(given.operator, known).filter(
      (value) => value.toLowerCase().includes(typed) && value.toLowerCase() !== typed,
    );
    return values.slice(0, suggestionCountMax).map((value) => complete(given.operator, value));
  }
  const start = word.toLowerCase();
  const operators = Object.keys(operatorValues)
    .filter((name) => name.startsWith(start) && labelOf(name) !== "")
    .map((name) => {
      const term = `${sign}${name}:`;
      return { term, meaning: labelOf(name), text: before + term, isComplete: false };
    });
  if (start === "") return operators;
  const values = (["tag", "from", "recipient"] as const).flatMap((operator) =>
    valuesOf(operator, known)
      .filter((value) => value.toLowerCase().includes(start))
      .slice(0, valueCountMax)
      .map((value) => complete(operator, value)),
  );
  return [...operators, ...values].slice(0, suggestionCountMax);
}

function recentSearch(q: string): TermSuggestion {
  return { term: q, meaning: strings.list.recent, text: q, isComplete: true };
}

/** Returns the operators that have an example. */
function commonOperators(): readonly TermSuggestion[] {
  return Object.entries(strings.list.examples).map(([name, example]) => {
    const term = `${name}:`;
    return { term, meaning: strings.list.withExample(labelOf(name), example), text: term, isComplete: false };
  });
}

function labelOf(operator: string): string {
  const labels: Readonly<Record<string, string>> = strings.list.operators;
  return labels[operator] ?? "";
}

function valuesOf(operator: string, { tags, senders, recipients }: KnownValues): readonly string[] {
  switch (operator) {
    case "tag":
      return tags;
    case "from":
    case "sender":
      return senders;
    case "to":
    case "cc":
    case "recipient":
      return recipients;
    case "addressed":
      return [...new Set([...senders, ...recipients])];
    default:
      return operatorValues[operator] ?? [];
  }
}
