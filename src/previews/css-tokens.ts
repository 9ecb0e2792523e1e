/** The only importer of @csstools/css-tokenizer, which tokenises CSS as browsers do (CSS Syntax Level 3 §4). */
import { type CSSToken, tokenizer, TokenType } from "@csstools/css-tokenizer";

/** Kind of a token, as far as the allow-list depends on it. */
export type CssKind = "at" | "function" | "string" | "url" | "open" | "close" | "semicolon" | "space" | "bad" | "other";

/** Token of CSS. */
export interface CssToken {
  readonly kind: CssKind;
  /** In a form that is safe anywhere in HTML. */
  readonly text: string;
  /** Name of a function or at-rule in lower case; content of a string or URL. */
  readonly value: string;
}

/** Tokens up to a delimiter outside of parentheses and square brackets: a declaration, a prelude or an at-rule. */
export interface CssSegment {
  /** Null if there are too many of them. */
  readonly tokens: readonly CssToken[] | null;
  /** Delimiter after them; "" at the end of the CSS. */
  readonly end: "{" | "}" | ";" | "";
}

/** Tokens of one segment; longer ones are removed. */
const segmentTokensMax = 50_000;

/** Splits CSS into its segments. Linear; never throws. */
export function* segmentsOf(css: string): Generator<CssSegment> {
  let tokens: CssToken[] | null = [];
  const open: string[] = [];
  for (const token of tokensOf(css)) {
    const end = open.length === 0 ? endOf(token) : null;
    if (end !== null) {
      yield { tokens, end };
      tokens = [];
      continue;
    }
    const closing = closingOf(token);
    if (closing !== undefined) open.push(closing);
    else if (token.kind === "close" && open.at(-1) === token.text) open.pop();
    if (tokens !== null && tokens.push(token) > segmentTokensMax) tokens = null;
  }
  yield { tokens, end: "" };
}

function endOf({ kind, text }: CssToken): CssSegment["end"] | null {
  if (kind === "semicolon") return ";";
  return text === "{" || text === "}" ? text : null;
}

/** Yields the tokens of CSS; comments count as white space. Linear; never throws. */
export function* tokensOf(css: string): Generator<CssToken> {
  // At the end of the input a backslash would make the text written after it part of a name.
  const source = tokenizer({ css: css.endsWith("\\") ? `${css}\n` : css });
  while (!source.endOfFile()) {
    const token = source.nextToken();
    if (token[0] !== TokenType.EOF) yield read(token);
  }
}

/** Returns the bracket that closes what the token opens; undefined if it opens nothing. */
export function closingOf({ kind, text }: CssToken): string | undefined {
  if (kind === "function") return ")";
  return kind === "open" ? closings[text] : undefined;
}

/** Writes a string; safe in a `style` element and, escaped, in an attribute. */
export function writeString(value: string): string {
  return `"${value.replaceAll(/["\\<&\p{Cc}]/gu, (character) => `\\${(character.codePointAt(0) ?? 0).toString(16)} `)}"`;
}

const closings: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const spaces: ReadonlySet<TokenType> = new Set([TokenType.Comment, TokenType.Whitespace, TokenType.CDO, TokenType.CDC]);
const kinds: Readonly<Partial<Record<TokenType, CssKind>>> = {
  [TokenType.OpenParen]: "open",
  [TokenType.OpenSquare]: "open",
  [TokenType.OpenCurly]: "open",
  [TokenType.CloseParen]: "close",
  [TokenType.CloseSquare]: "close",
  [TokenType.CloseCurly]: "close",
  [TokenType.Semicolon]: "semicolon",
  [TokenType.BadString]: "bad",
  [TokenType.BadURL]: "bad",
};

function read(token: CSSToken): CssToken {
  const [type, text] = token;
  if (spaces.has(type)) return { kind: "space", text: " ", value: "" };
  if (type === TokenType.String) return { kind: "string", text: writeString(token[4].value), value: token[4].value };
  if (type === TokenType.URL)
    return { kind: "url", text: `url(${writeString(token[4].value)})`, value: token[4].value };
  if (type === TokenType.Delim) return { kind: "other", text, value: text };
  const written = escapeMarkup(text);
  if (type === TokenType.Function) return { kind: "function", text: written, value: token[4].value.toLowerCase() };
  if (type === TokenType.AtKeyword) return { kind: "at", text: written, value: token[4].value.toLowerCase() };
  return { kind: kinds[type] ?? "other", text: written, value: "" };
}

/** Escapes characters in names: as numbers they mean the same, and have no meaning in HTML. */
function escapeMarkup(written: string): string {
  return written.replaceAll(/\\?([<&])/g, (_found, character) => (character === "<" ? "\\3c " : "\\26 "));
}

/** CSS that a rendered mail may contain. Anything else is removed with its declaration or block. */

/** Functions allowed in values, selectors and at-rule preludes; none of them can load anything by itself. */
export const safeFunctions: ReadonlySet<string> = new Set(
  (
    "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark device-cmyk " +
    "calc min max clamp round mod rem abs sign sqrt pow hypot var env attr counter counters symbols format local tech " +
    "linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient " +
    "repeating-conic-gradient -webkit-linear-gradient -webkit-radial-gradient -webkit-repeating-linear-gradient " +
    "-webkit-gradient -moz-linear-gradient -ms-linear-gradient -o-linear-gradient from to color-stop " +
    "matrix matrix3d translate translate3d translatex translatey translatez scale scale3d scalex scaley scalez " +
    "rotate rotate3d rotatex rotatey rotatez skew skewx skewy perspective " +
    "cubic-bezier steps linear blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia " +
    "repeat minmax fit-content rect inset xywh circle ellipse polygon path shape " +
    "not is where has matches -webkit-any -moz-any nth-child nth-last-child nth-of-type nth-last-of-type lang dir host " +
    "selector layer supports style"
  ).split(" "),
);

/** Functions whose strings are addresses of images. */
export const imageSetFunctions: ReadonlySet<string> = new Set(["image-set", "-webkit-image-set"]);

/** Functions that insert text from elsewhere, which must not become an address. */
export const substitutions: ReadonlySet<string> = new Set(["var", "attr", "env"]);

/** At-rules that may have a block. */
export const safeBlocks: ReadonlySet<string> = new Set(
  (
    "media supports font-face keyframes -webkit-keyframes -moz-keyframes -o-keyframes page layer container " +
    "counter-style font-feature-values starting-style"
  ).split(" "),
);
