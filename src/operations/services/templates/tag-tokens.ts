/** Tokens of expressions. */
import { TemplateError } from "./template-error.ts";

/** Token; the text of a string is without its quotes. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "sign";
  readonly text: string;
}

const pattern =
  /\s*(?:(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<number>\d+(?:\.\d+)?)|"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>(?:[^'\\]|\\.)*)'|(?<sign>===|==|!=|<>|<=|>=|&&|\|\||[<>=!+\-*/%()[\].,:|]))/suy;

/** Returns the tokens of a text. Throws a {@link TemplateError} for a character that starts none. */
export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trim();
  pattern.lastIndex = 0;
  for (let end = 0; end < trimmed.length; end = pattern.lastIndex) {
    const groups = pattern.exec(trimmed)?.groups;
    if (groups === undefined) throw new TemplateError(`unexpected '${trimmed.slice(end, end + 20).trim()}'`);
    tokens.push(tokenOf(groups));
  }
  return tokens;
}

function tokenOf(groups: Readonly<Record<string, string | undefined>>): Token {
  const { name, number, double, single, sign = "" } = groups;
  if (name !== undefined) return { kind: "name", text: name };
  if (number !== undefined) return { kind: "number", text: number };
  const quoted = double ?? single;
  return quoted === undefined
    ? { kind: "sign", text: sign }
    : { kind: "string", text: quoted.replaceAll(/\\(.)/gs, "$1") };
}
