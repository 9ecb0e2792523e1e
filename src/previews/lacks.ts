import { CssReader, type HtmlUsage } from "../analysis/lint/html-usage.ts";
import { compatibilityFeatures } from "../analysis/lint/compatibility-report.ts";

/** Queries for features that a client does not support. */
export interface Lacks {
  /** By lower-case name; `type` is that of an input or a button. */
  element(name: string, type: string): boolean;
  attribute(name: string): boolean;
  /** `property: value`. */
  declaration(text: string): boolean;
  /** `@media (hover)`, without its block. */
  atRule(text: string): boolean;
  selector(text: string): boolean;
}

const knownCountMax = 10_000;
const knownLengthMax = 200;
const nothing: HtmlUsage = {
  elements: new Set(),
  attributes: new Set(),
  imageFormats: new Set(),
  hasMailtoLink: false,
  css: new CssReader(),
};

/**
 * Returns the features that a client lacks according to caniemail.com, the same features that lint reports. Each is
 * queried with a single element or declaration. Features with partial support count as supported.
 */
export function lacksOf(caniemailName: string): Lacks {
  const lacking = compatibilityFeatures().filter(({ unsupported }) => unsupported.includes(caniemailName));
  const isLacked = (usage: Partial<HtmlUsage>): boolean =>
    lacking.some(({ isUsed }) => isUsed({ ...nothing, ...usage }));
  const ofCss = (read: (reader: CssReader, text: string) => void): ((text: string) => boolean) =>
    memoise((text) => {
      const css = new CssReader();
      read(css, text);
      return isLacked({ css });
    });
  const element = memoise((key) => {
    const [name = "", type = ""] = key.split(" ");
    return isLacked({ elements: new Set(type === "" ? [name] : [name, `${name}[type=${type}]`]) });
  });
  return {
    element: (name, type) => element(`${name} ${type}`),
    attribute: memoise((name) => isLacked({ attributes: new Set([name]) })),
    declaration: ofCss((css, text) => {
      css.inline(text);
    }),
    atRule: ofCss((css, text) => {
      css.sheet(`${text};`);
    }),
    selector: ofCss((css, text) => {
      css.sheet(`${text}{`);
    }),
  };
}

/** Returns a memoised `judge` that caches a bounded number of short texts. */
function memoise(judge: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const answer = known.get(text) ?? judge(text);
    if (known.size < knownCountMax && text.length <= knownLengthMax) known.set(text, answer);
    return answer;
  };
}
