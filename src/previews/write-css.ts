import {
  closingOf,
  type CssKind,
  type CssToken,
  imageSetFunctions,
  safeFunctions,
  substitutions,
  writeString,
} from "./css-tokens.ts";

/** Use of an address; it decides whether it may be loaded. */
export type AddressUse = "image" | "source" | "font" | "media" | "sheet";

/** Returns the address to load instead of the written one; null if nothing may be loaded. */
export type AddressRule = (written: string, use: AddressUse) => string | null;

/** Address of an image that is not loaded: empty, so that browsers show it as failed. */
export const noImage = "data:,";

/**
 * Returns the tokens as CSS, with every address as the rule returned it; null if a token is not allowed. Unclosed
 * brackets are closed. The text contains no `<` or `&` that could have a meaning in HTML. Linear.
 */
export function writeCss(tokens: readonly CssToken[], address: AddressRule, use: AddressUse): string | null {
  const writer = new CssWriter(address, use);
  const end = tokens.findLastIndex(({ kind }) => kind !== "space") + 1;
  for (
    let at = Math.max(
      0,
      tokens.findIndex(({ kind }) => kind !== "space"),
    );
    at < end;
    at += 1
  ) {
    const token = tokens[at];
    if (token === undefined || !writer.write(token, tokens[at + 1])) return null;
  }
  return writer.finish();
}

/** Returns the address at the start of the tokens, as a string or as `url()`, and how many tokens it takes. */
export function leadingAddress(
  tokens: readonly CssToken[],
): { readonly address: string; readonly length: number } | null {
  const [first] = tokens;
  if (first?.kind === "string" || first?.kind === "url") return { address: first.value, length: 1 };
  if (first?.kind !== "function" || first.value !== "url") return null;
  const string = tokens.findIndex(({ kind }, at) => at > 0 && kind !== "space");
  const close = tokens.findIndex(({ text }) => text === ")");
  const found = tokens[string];
  return found?.kind === "string" && close > string ? { address: found.value, length: close + 1 } : null;
}

class CssWriter {
  readonly #address: AddressRule;
  readonly #use: AddressUse;
  readonly #chunks: string[] = [];
  /** Closing brackets of the open ones, and the functions that they belong to. */
  readonly #open: { readonly closing: string; readonly name: string }[] = [];
  /** Whether the open `url()` has its string. An empty one would let the tokens around it become one. */
  #hasAddress = false;
  #imageSets = 0;
  #hasImageSet = false;
  #hasSubstitution = false;

  constructor(address: AddressRule, use: AddressUse) {
    this.#address = address;
    this.#use = use;
  }

  readonly #writers: Readonly<Record<CssKind, (token: CssToken, next: CssToken | undefined) => boolean>> = {
    url: ({ value }) => this.#writeAddress(value),
    string: (token) => this.#writeString(token),
    function: (token) => this.#openBracket(token),
    open: (token) => this.#openBracket(token),
    close: ({ text }) => this.#close(text),
    at: ({ text }) => this.#chunks.length === 0 && this.#push(text),
    other: (token, next) => this.#writeOther(token, next),
    semicolon: ({ text }) => this.#push(text),
    space: ({ text }) => this.#push(text),
    bad: () => false,
  };

  /** Returns whether the token is allowed. */
  write(token: CssToken, next: CssToken | undefined): boolean {
    const inUrl = this.#open.at(-1)?.name === "url";
    if (inUrl && token.kind !== "close") return this.#writeInUrl(token);
    return this.#writers[token.kind](token, next);
  }

  finish(): string | null {
    if (this.#open.at(-1)?.name === "url" && !this.#hasAddress) return null;
    // An inserted text could be an address there.
    if (this.#hasImageSet && this.#hasSubstitution) return null;
    const closing = this.#open.toReversed().map((open) => open.closing);
    return this.#chunks.join("") + closing.join("");
  }

  #push(text: string): boolean {
    this.#chunks.push(text);
    return true;
  }

  #openBracket(token: CssToken): boolean {
    const name = token.kind === "function" ? token.value : "";
    if (!this.#isKnown(name)) return false;
    if (imageSetFunctions.has(name)) {
      this.#imageSets += 1;
      this.#hasImageSet = true;
    }
    if (substitutions.has(name)) this.#hasSubstitution = true;
    this.#hasAddress = false;
    this.#open.push({ closing: name === "url" ? "" : (closingOf(token) ?? ""), name });
    return name === "url" || this.#push(token.text);
  }

  #isKnown(name: string): boolean {
    if (name === "type") return this.#imageSets > 0;
    return name === "" || name === "url" || imageSetFunctions.has(name) || safeFunctions.has(name);
  }

  #close(text: string): boolean {
    const open = this.#open.pop();
    if (open === undefined) return false;
    if (open.name === "url") return text === ")" && this.#hasAddress;
    if (imageSetFunctions.has(open.name)) this.#imageSets -= 1;
    return open.closing === text && this.#push(text);
  }

  /** Returns whether the token may be inside of `url()`: only one string may. */
  #writeInUrl({ kind, value }: CssToken): boolean {
    if (kind === "space") return true;
    if (kind !== "string" || this.#hasAddress) return false;
    this.#hasAddress = true;
    return this.#writeAddress(value);
  }

  #writeString({ text, value }: CssToken): boolean {
    const isAddress = this.#imageSets > 0 && this.#open.at(-1)?.name !== "type";
    return isAddress ? this.#writeAddress(value) : this.#push(text);
  }

  #writeAddress(written: string): boolean {
    const trimmed = written.trim();
    // Within the page itself, as in SVG.
    if (trimmed.startsWith("#")) return this.#push(`url(${writeString(trimmed)})`);
    const own = this.#address(trimmed, this.#use);
    if (own === null && this.#use !== "image") return false;
    return this.#push(`url(${writeString(own ?? noImage)})`);
  }

  #writeOther(token: CssToken, next: CssToken | undefined): boolean {
    // The following text could make it an escape.
    if (token.value === "\\") return false;
    if (token.value === "<") return this.#push(next?.value === "=" ? "<" : "< ");
    // Before a name or number it could begin a character reference.
    if (token.value === "&" && (next === undefined || (next.kind === "other" && !/^[.:>+~*,]/.test(next.text))))
      return false;
    return this.#push(token.text);
  }
}
