import { ImapSyntaxError, type ImapToken } from "./tokens.ts";

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
