import { markTagLengthMax } from "../../core/limits.ts";
import { flagBits, flagsOfBits, type Marks, type MessageFlag, messageFlags, readTag } from "../../core/marks.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

/** Flags and keywords of a message as clients name them; a keyword is a tag that is an atom. */
export interface ImapFlags {
  readonly flags: readonly MessageFlag[];
  readonly keywords: readonly string[];
}

const keywordPattern = /^[!#$&'+\-./0-9:;<=>?@A-Z[^_`a-z|}~]+$/;

/** System flags, separated by spaces. */
export const systemFlags: string = messageFlags.map(systemFlagOf).join(" ");

/** System flags that are kept where messages are not deleted. */
export const keptFlags: string = messageFlags
  .filter((flag) => flag !== "deleted")
  .map(systemFlagOf)
  .join(" ");

/** Whether a tag can be shown as a keyword. */
export function isKeyword(tag: string): boolean {
  return keywordPattern.test(tag);
}

/** Returns the list of the flags of a message, with its parentheses. */
export function writeFlags({ flags, tags }: Marks, isRecent: boolean): string {
  const recent = isRecent ? [String.raw`\Recent`] : [];
  return `(${[...flags.map(systemFlagOf), ...tags.filter(isKeyword), ...recent].join(" ")})`;
}

/** Reads flags. Throws {@link ImapSyntaxError}; `\Recent` is ignored, because clients copy it from FETCH responses. */
export function readFlags(tokens: readonly ImapToken[]): ImapFlags {
  const flags: MessageFlag[] = [];
  const keywords: string[] = [];
  for (const token of tokens) {
    if (token.kind !== "atom") throw new ImapSyntaxError("A flag is missing");
    const name = token.text;
    const flag = messageFlags.find((one) => systemFlagOf(one).toLowerCase() === name.toLowerCase());
    if (flag !== undefined) flags.push(flag);
    else if (!name.startsWith("\\")) keywords.push(keywordOf(name));
    else if (!/^\\recent$/i.test(name)) throw new ImapSyntaxError("Unknown system flag");
  }
  return { flags: flagsOfBits(flagBits(flags)), keywords };
}

function keywordOf(name: string): string {
  if (isKeyword(name) && readTag(name) === name) return name;
  throw new ImapSyntaxError(`A keyword is an ASCII atom of at most ${markTagLengthMax} characters`);
}

function systemFlagOf(flag: MessageFlag): string {
  return `\\${flag.charAt(0).toUpperCase()}${flag.slice(1)}`;
}

/** Returns the number of a change as mod-sequence, which is at least 1 (RFC 7162 section 3.1). */
export function modSequence(sequence: number): number {
  return Math.max(1, sequence);
}

/** Reads `(NAME n)`, the modifier of FETCH or STORE; null without tokens. Throws {@link ImapSyntaxError}. */
export function readModifier(token: ImapToken | undefined, name: string): number | null {
  if (token === undefined) return null;
  const [named, value, ...rest] = token.kind === "list" ? token.items : [];
  const isNamed = named?.kind === "atom" && named.text.toUpperCase() === name;
  if (!isNamed || value?.kind !== "atom" || !/^\d{1,15}$/.test(value.text) || rest.length > 0) {
    throw new ImapSyntaxError(`The modifier must be ${name} with a number`);
  }
  return Number(value.text);
}
