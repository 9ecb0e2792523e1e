/** Tokens of `$filter` (OData). */
import { rejection } from "./errors.ts";

const tokenPattern =
  /\s*(?:(?<string>'(?:[^']|'')*')|(?<date>\d{4}-\d\d-\d\d(?:T[0-9:.]+(?:Z|[+-]\d\d:?\d\d)?)?)|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z_@][\w./@-]*)|(?<mark>[(),:]))/y;

/** Token of a condition. */
export interface Token {
  readonly kind: "string" | "date" | "number" | "word" | "mark";
  readonly text: string;
}

/** Returns the error of a condition, of which it shows a part. */
export const invalidFilter = (clause: string): Error =>
  rejection(
    "ErrorInvalidUrlQueryFilter",
    `The query filter contains one or more invalid nodes: ${clause.slice(0, 100)}`,
  );

/** Returns the tokens of a condition; throws a rejection for a character that begins none. */
export function tokensOf(filter: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = filter.trimEnd().length;
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < end) {
    const at = tokenPattern.lastIndex;
    const { groups } = tokenPattern.exec(filter) ?? {};
    const [kind, found] = Object.entries(groups ?? {}).find((one) => one[1] !== undefined) ?? [];
    if (kind === undefined || found === undefined) throw invalidFilter(filter.slice(at));
    tokens.push({ kind: kind as Token["kind"], text: found });
  }
  return tokens;
}
