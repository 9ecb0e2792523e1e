import { CssReader } from "../analysis/lint/css-usage.ts";
import { features } from "../analysis/lint/compatibility-table.ts";
import type { HtmlUsage } from "../analysis/lint/html-usage.ts";

/** Features that a client does not support, queried one by one. */
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
 * Returns the features that a client lacks according to caniemail.com, the same features that lint reports, each queried with the
 * element or declaration alone. Features with partial support count as supported.
 */
export function lacksOf(caniemailName: string): Lacks {
  const lacking = features.filter(({ unsupported }) => unsupported.includes(caniemailName));
  const isLacked = (usage: Partial<HtmlUsage>): boolean =>
    lacking.some(({ isUsed }) => isUsed({ ...nothing, ...usage }));
  const ofCss = (read: (reader: CssReader, text: string) => void): ((text: string) => boolean) =>
    remember((text) => {
      const css = new CssReader();
      read(css, text);
      return isLacked({ css });
    });
  const element = remember((key) => {
    const [name = "", type = ""] = key.split(" ");
    return isLacked({ elements: new Set(type === "" ? [name] : [name, `${name}[type=${type}]`]) });
  });
  return {
    element: (name, type) => element(`${name} ${type}`),
    attribute: remember((name) => isLacked({ attributes: new Set([name]) })),
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

/** Caches answers, as many as mails are likely to need again. */
function remember(judge: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const answer = known.get(text) ?? judge(text);
    if (known.size < knownCountMax && text.length <= knownLengthMax) known.set(text, answer);
    return answer;
  };
}
