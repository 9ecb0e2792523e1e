import type { Lacks } from "./lacks.ts";

/** What happens to CSS on its way to a preview. */
export interface CssRules {
  readonly lacks: Pick<Lacks, "declaration" | "atRule" | "selector">;
  /** The address to show instead of an image's. */
  readonly imageUrl: (url: string) => string;
}

/**
 * Texts and addresses, whose braces and semicolons mean nothing, and the marks that do. An open one runs to the end, so
 * that nothing is read twice.
 */
const token = /\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|url\([^)"']*\)?|[;{}]/gi;

/** A style sheet without what the program lacks: declarations, rules by their selector, at-rules with their block. Linear. */
export function rewriteSheet(css: string, rules: CssRules): string {
  const kept: string[] = [];
  let segment = "";
  let depth = 0;
  /** Depth of the block that is left out; null outside of one. */
  let leftOut: number | null = null;
  const endSegment = (mark: string): void => {
    const text = segment.trim();
    segment = "";
    if (mark === "{") {
      depth += 1;
      if (leftOut === null && isLackedBlock(text, rules)) leftOut = depth;
      if (leftOut === null) kept.push(text, "{");
      return;
    }
    const isKept = leftOut === null && text !== "" && !isLackedStatement(text, rules);
    if (isKept) kept.push(withOwnImages(text, rules), ";");
    if (mark !== "}" || depth === 0) return;
    if (leftOut === null) kept.push("}");
    if (leftOut === depth) leftOut = null;
    depth -= 1;
  };
  for (const { text, mark } of piecesOf(css)) {
    segment += text;
    if (mark !== null) endSegment(mark);
  }
  return kept.join("");
}

/** A `style` attribute without the declarations that the program lacks. Linear. */
export function rewriteInline(css: string, rules: CssRules): string {
  const kept: string[] = [];
  let declaration = "";
  for (const { text, mark } of piecesOf(css)) {
    declaration += text;
    if (mark === null) continue;
    if (mark === ";" || mark === "") {
      const one = declaration.trim();
      if (one !== "" && !rules.lacks.declaration(one)) kept.push(withOwnImages(one, rules));
      declaration = "";
    } else declaration += mark;
  }
  return kept.join("; ");
}

/** The CSS in pieces, each up to a mark or (null) a comment, which is left out; the last one has the mark "". */
function* piecesOf(css: string): Generator<{ readonly text: string; readonly mark: string | null }> {
  let start = 0;
  for (const { 0: found, index } of css.matchAll(token)) {
    const isMark = found.length === 1 && found !== '"' && found !== "'";
    const isComment = found.startsWith("/*");
    if (!isMark && !isComment) continue;
    yield isMark ? { text: css.slice(start, index), mark: found } : { text: `${css.slice(start, index)} `, mark: null };
    start = index + found.length;
  }
  yield { text: css.slice(start), mark: "" };
}

function isLackedBlock(prelude: string, { lacks }: CssRules): boolean {
  return prelude.startsWith("@") ? lacks.atRule(prelude) : lacks.selector(prelude);
}

function isLackedStatement(text: string, { lacks }: CssRules): boolean {
  if (!text.startsWith("@")) return lacks.declaration(text);
  return /^@import\b/i.test(text) || lacks.atRule(text);
}

/** Linear: an address that does not end is left out with all that follows. */
function withOwnImages(declaration: string, { imageUrl }: CssRules): string {
  const kept: string[] = [];
  let keptTo = 0;
  for (const { 0: opening, index } of declaration.matchAll(/url\(\s*/gi)) {
    if (index < keptTo) continue;
    const start = index + opening.length;
    const quote = /["']/.exec(declaration[start] ?? "")?.[0] ?? "";
    const end = declaration.indexOf(quote === "" ? ")" : quote, start + quote.length);
    const close = end < 0 ? -1 : declaration.indexOf(")", end);
    kept.push(declaration.slice(keptTo, index));
    if (close < 0) return kept.join("");
    kept.push(`url("${imageUrl(declaration.slice(start + quote.length, end).trim())}")`);
    keptTo = close + 1;
  }
  return kept.join("") + declaration.slice(keptTo);
}
