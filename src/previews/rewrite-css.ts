import { type CssSegment, type CssToken, safeBlocks, segmentsOf, tokensOf, writeString } from "./css-tokens.ts";
import type { Lacks } from "./lacks.ts";
import { type AddressRule, type AddressUse, leadingAddress, writeCss } from "./write-css.ts";

/** Rules for the CSS of a rendered mail. */
export interface CssRules {
  readonly lacks: Pick<Lacks, "declaration" | "atRule" | "selector">;
  readonly address: AddressRule;
}

/** Nesting depth of blocks; deeper ones are removed. */
const depthMax = 32;
/** Tokens of a value in an attribute; longer ones are removed. */
const valueTokensMax = 5000;

/**
 * Returns the style sheet without the declarations, selectors and at-rules that `rules` exclude or that the allow-list
 * of CSS does not contain. Every address is one that `rules.address` returned. Linear;
 * never throws.
 */
export function rewriteSheet(css: string, rules: CssRules): string {
  const sheet = new SheetWriter(rules);
  for (const segment of segmentsOf(css)) sheet.add(segment);
  return sheet.finish();
}

/**
 * Returns the `style` attribute without the declarations that {@link rewriteSheet} would remove. Linear; never throws.
 */
export function rewriteInline(css: string, rules: CssRules): string {
  const declarations: string[] = [];
  let depth = 0;
  for (const { tokens, end } of segmentsOf(css)) {
    // Neither the text before a block nor its content is a declaration.
    const isOutside = depth === 0 && end !== "{" && tokens !== null;
    const text = isOutside ? declarationOf(tokens, rules, "image") : null;
    if (text !== null) declarations.push(text);
    if (end === "{") depth += 1;
    else if (end === "}") depth = Math.max(0, depth - 1);
  }
  return declarations.join("; ");
}

/** Returns the value of an SVG attribute with CSS syntax; null if it is not allowed. Linear; never throws. */
export function rewriteValue(css: string, rules: CssRules): string | null {
  const tokens: CssToken[] = [];
  for (const token of tokensOf(css)) {
    if (token.kind === "semicolon" || token.text === "{" || tokens.push(token) > valueTokensMax) return null;
  }
  return writeCss(tokens, rules.address, "image");
}

class SheetWriter {
  readonly #rules: CssRules;
  readonly #declarations: string[] = [];
  /** For each open block, whether it is kept and the use of its addresses. */
  readonly #open: { readonly isKept: boolean; readonly use: AddressUse }[] = [];

  constructor(rules: CssRules) {
    this.#rules = rules;
  }

  add({ tokens, end }: CssSegment): void {
    if (end === "{") this.#openBlock(tokens);
    else {
      const { isKept, use } = this.#open.at(-1) ?? { isKept: true, use: "image" };
      const text = isKept && tokens !== null ? this.#statement(tokens, use) : null;
      if (text !== null) this.#declarations.push(text, ";");
      if (end === "}" && this.#open.pop()?.isKept === true) this.#declarations.push("}");
    }
  }

  finish(): string {
    for (const { isKept } of this.#open) if (isKept) this.#declarations.push("}");
    return this.#declarations.join("");
  }

  #openBlock(tokens: CssSegment["tokens"]): void {
    const isInKept = this.#open.at(-1)?.isKept ?? true;
    const text = isInKept && tokens !== null && this.#open.length < depthMax ? this.#prelude(tokens) : null;
    if (text !== null) this.#declarations.push(text, "{");
    const isFont = tokens !== null && atName(tokens) === "font-face";
    this.#open.push({ isKept: text !== null, use: isFont ? "font" : "image" });
  }

  #prelude(tokens: readonly CssToken[]): string | null {
    const name = atName(tokens);
    if (name !== null && !safeBlocks.has(name)) return null;
    const text = writeCss(tokens, this.#rules.address, "image");
    if (text === null) return null;
    const { lacks } = this.#rules;
    return (name === null ? lacks.selector(text) : lacks.atRule(text)) ? null : text;
  }

  #statement(tokens: readonly CssToken[], use: AddressUse): string | null {
    const name = atName(tokens);
    if (name === null) return declarationOf(tokens, this.#rules, use);
    if (name === "import") return this.#import(trimStart(tokens).slice(1));
    const text = name === "layer" ? writeCss(tokens, this.#rules.address, use) : null;
    return text === null || this.#rules.lacks.atRule(text) ? null : text;
  }

  /** Returns an import with its address and the conditions after it. */
  #import(tokens: readonly CssToken[]): string | null {
    const rest = trimStart(tokens);
    const found = leadingAddress(rest);
    const own = found === null ? null : this.#rules.address(found.address.trim(), "sheet");
    const conditions = found === null ? null : writeCss(rest.slice(found.length), this.#rules.address, "image");
    return own === null || conditions === null ? null : `@import url(${writeString(own)}) ${conditions}`;
  }
}

function declarationOf(tokens: readonly CssToken[], rules: CssRules, use: AddressUse): string | null {
  if (atName(tokens) !== null) return null;
  const text = writeCss(tokens, rules.address, use);
  return text === null || text === "" || rules.lacks.declaration(text) ? null : text;
}

function atName(tokens: readonly CssToken[]): string | null {
  const [first] = trimStart(tokens);
  return first?.kind === "at" ? first.value : null;
}

function trimStart(tokens: readonly CssToken[]): readonly CssToken[] {
  const at = tokens.findIndex(({ kind }) => kind !== "space");
  return at <= 0 ? tokens : tokens.slice(at);
}
