import { attributeItemCountMax } from "../bounds.ts";

/** CSS that the style sheets and inline styles of a body use, each feature once. All names are in lower case. */
export interface CssUsage {
  readonly properties: ReadonlySet<string>;
  /** `property:value`, white space removed, values without `!important`. */
  readonly declarations: ReadonlySet<string>;
  /** Function names in values, without the parenthesis. */
  readonly functions: ReadonlySet<string>;
  readonly units: ReadonlySet<string>;
  readonly keywords: ReadonlySet<string>;
  /** `@media (hover)`, as written except for white space. */
  readonly atRules: ReadonlySet<string>;
  /** `:hover`, `::before`. */
  readonly pseudos: ReadonlySet<string>;
}

const nameCountMax = 5000;
const segmentLengthMax = 20_000;

/** Collects the features that CSS uses. Never throws; linear in the text. */
export class CssReader implements CssUsage {
  readonly properties: Set<string> = new Set();
  readonly declarations: Set<string> = new Set();
  readonly functions: Set<string> = new Set();
  readonly units: Set<string> = new Set();
  readonly keywords: Set<string> = new Set();
  readonly atRules: Set<string> = new Set();
  readonly pseudos: Set<string> = new Set();

  /** Reads a style sheet. */
  sheet(css: string): void {
    let start = 0;
    const text = withoutComments(css);
    for (const { index, 0: mark } of text.matchAll(/[;{}]/g)) {
      const segment = text.slice(start, Math.min(index, start + segmentLengthMax)).trim();
      start = index + 1;
      if (segment.startsWith("@")) this.#add(this.atRules, segment.replaceAll(/\s+/g, " "));
      else if (mark === "{") this.#selector(segment);
      else this.#declaration(segment);
    }
  }

  /** Reads a `style` attribute. */
  inline(style: string): void {
    const declarations = withoutComments(style).split(";", attributeItemCountMax);
    for (const declaration of declarations) this.#declaration(declaration.trim());
  }

  #selector(selector: string): void {
    for (const [pseudo] of selector.matchAll(/::?[a-z-]{1,40}/gi)) this.#add(this.pseudos, pseudo);
  }

  #declaration(declaration: string): void {
    const colon = declaration.indexOf(":");
    if (colon <= 0) return;
    const property = declaration.slice(0, colon).trim();
    if (!/^-{0,2}[a-z][a-z-]{0,60}$/i.test(property)) return;
    const value = declaration.slice(colon + 1, colon + 1 + segmentLengthMax).toLowerCase();
    if (/!\s*important/.test(value)) this.keywords.add("!important");
    this.#add(this.properties, property);
    this.#add(
      this.declarations,
      `${property}:${value
        .replace(/!\s*important/, "")
        .replaceAll(/\s/g, "")
        .slice(0, 60)}`,
    );
    for (const [, name = ""] of value.matchAll(/([a-z-]{2,40})\(/g)) this.#add(this.functions, name);
    for (const [, unit = ""] of value.matchAll(/(?<![\w#-])\d{0,9}\.?\d{1,9}(%|[a-z]{2,4})(?![\w-])/g))
      this.#add(this.units, unit);
    for (const [word] of value.matchAll(/(?<![\w#-])[a-z][a-z-]{2,40}(?![\w(-])/g)) this.#add(this.keywords, word);
  }

  #add(names: Set<string>, name: string): void {
    if (names.size < nameCountMax) names.add(name.toLowerCase());
  }
}

/** Removes comments, which do not occur inside of names here. An unclosed one extends to the end. */
function withoutComments(css: string): string {
  if (!css.includes("/*")) return css;
  const parts: string[] = [];
  let start = 0;
  for (let open = css.indexOf("/*"); open >= 0; open = css.indexOf("/*", start)) {
    parts.push(css.slice(start, open));
    const close = css.indexOf("*/", open + 2);
    start = close < 0 ? css.length : close + 2;
  }
  return [...parts, css.slice(start)].join(" ");
}
