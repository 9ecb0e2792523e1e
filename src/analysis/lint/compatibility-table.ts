/** The only file that knows caniemail: which mail program shows what, from its data set, read offline. */
import { createRequire } from "node:module";
import type { HtmlUsage } from "./html-usage.ts";

/** A feature of HTML or CSS and the programs that lack it. */
export interface Feature {
  readonly title: string;
  /** Page that tells more. */
  readonly url: string;
  /** Names of programs, `Outlook (Windows)`. */
  readonly unsupported: readonly string[];
  readonly partial: readonly string[];
  readonly isUsed: (usage: HtmlUsage) => boolean;
}

/** The data set as far as it is read here. */
interface CaniemailData {
  readonly nicenames: {
    readonly family: Readonly<Record<string, string>>;
    readonly platform: Readonly<Record<string, string>>;
  };
  readonly data: readonly {
    readonly title: string;
    readonly url: string;
    readonly category: string;
    readonly stats: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  }[];
}

type Use = Feature["isUsed"];

/** Titles that name what they are about in no regular way. */
const irregular: Readonly<Record<string, Use>> = {
  "HTML5 semantics": anyElement(
    "article",
    "aside",
    "details",
    "figcaption",
    "figure",
    "footer",
    "header",
    "main",
    "mark",
    "nav",
    "section",
    "summary",
    "time",
  ),
  "Image maps": anyElement("map"),
  "Embedded <svg> image": anyElement("svg"),
  "mailto: links": ({ hasMailtoLink }) => hasMailtoLink,
  "srcset and sizes attributes": anyAttribute("srcset", "sizes"),
  "CSS calc() function": anyFunction("calc"),
  "CSS Variables (Custom Properties)": anyFunction("var"),
  "!important keyword": anyKeyword("!important"),
  "fit-content, min-content, max-content": anyKeyword("fit-content", "min-content", "max-content"),
  "font shorthand": anyProperty("font"),
  "color-scheme CSS property": anyProperty("color-scheme"),
  "css column properties": anyProperty("columns", "column-width", "column-rule", "column-span", "column-fill"),
  "grid-template-* properties": anyProperty(
    "grid-template",
    "grid-template-areas",
    "grid-template-columns",
    "grid-template-rows",
  ),
  "scroll-snap": anyProperty("scroll-snap-type", "scroll-snap-align", "scroll-snap-stop"),
  "border-radius logical properties": anyProperty(
    "border-start-start-radius",
    "border-start-end-radius",
    "border-end-start-radius",
    "border-end-end-radius",
  ),
  "@media (-webkit-device-pixel-ratio)": anyAtRule("-webkit-device-pixel-ratio", "-webkit-min-device-pixel-ratio"),
  "@media (hover), @media (any-hover)": anyAtRule("(hover", "(any-hover"),
  "Base 64 image format": ({ imageFormats }) => imageFormats.has("base64"),
};
const imageFormats: Readonly<Record<string, readonly string[]>> = {
  AVIF: ["avif"],
  BMP: ["bmp"],
  HDR: ["hdr"],
  HEIF: ["heif", "heic"],
  ICO: ["ico"],
  SVG: ["svg"],
  TIFF: ["tif", "tiff"],
  webP: ["webp"],
  "Animated PNG": ["apng"],
};

/** Patterns of regular titles and what each asks for; the first that fits decides. */
const regular: readonly (readonly [pattern: RegExp, use: (match: RegExpExecArray) => Use])[] = [
  [/^<(input|button) type="(\w+)"> element$/, ([, name = "", type = ""]) => anyElement(`${name}[type=${type}]`)],
  [/^<(\w+)>(?: element)?$/, ([, name = ""]) => anyElement(name)],
  [/^([a-z-]+) attribute$/, ([, name = ""]) => anyAttribute(name)],
  [/^(.+) image format$/, ([, name = ""]) => anyFormat(...(imageFormats[name] ?? []))],
  [
    /^(%|[a-z]+) unit$/,
    ([, unit = ""]) =>
      ({ css }) =>
        css.units.has(unit),
  ],
  [/^@media \((.+)\)$/, ([, condition = ""]) => anyAtRule(`(${condition}`)],
  [/^@[a-z-]+$/, ([name]) => anyAtRule(name)],
  [
    /^::?[a-z-]+/,
    ([name]) =>
      ({ css }) =>
        css.pseudos.has(name),
  ],
  [/^[a-z-]+\(\)(?:, [a-z-]+\(\))*$/, ([names]) => anyFunction(...names.split(", ").map((one) => one.slice(0, -2)))],
  [
    /^([a-z-]+): ?([a-z]+)$/,
    ([, property = "", value = ""]) =>
      ({ css }) =>
        css.declarations.has(`${property}:${value}`),
  ],
  [/^([a-z-]+) property$/, ([, name = ""]) => anyProperty(name)],
  [/^[a-z-]+(?:(?:, | & )[a-z-]+)*\s*$/, ([names]) => anyProperty(...names.trim().split(/, | & /))],
];

/** What no mail can do without, or what other rules ask for, so that nobody is helped by hearing of it. */
const unavoidable: ReadonlySet<string> = new Set([
  "<body> element",
  "<div> element",
  "<p> element",
  "display",
  "lang attribute",
  "role attribute",
  "aria-label attribute",
  "aria-hidden attribute",
]);

const require = createRequire(import.meta.url);
const data = require("caniemail/caniemail.json") as CaniemailData;

/** Every feature that some program lacks and that a body can be seen to use. */
export const features: readonly Feature[] = data.data.flatMap(({ title, url, category, stats }) => {
  const isUsed = category === "others" ? undefined : useOf(title.trim());
  const { unsupported, partial } = supportOf(stats);
  return isUsed === undefined || unsupported.length + partial.length === 0
    ? []
    : [{ title: title.trim(), url, unsupported, partial, isUsed }];
});

/** Names of the attributes that features ask for. */
export const attributeNames: readonly string[] = [
  "srcset",
  "sizes",
  ...data.data.flatMap(({ title }) => /^([a-z-]+) attribute$/.exec(title)?.[1] ?? []),
];

function useOf(title: string): Use | undefined {
  if (unavoidable.has(title)) return undefined;
  const own = irregular[title];
  if (own !== undefined) return own;
  for (const [pattern, use] of regular) {
    const match = pattern.exec(title);
    if (match !== null) return use(match);
  }
  return undefined;
}

/** Of each program its latest version counts; `n` is no, `a` is partly, `y` is yes, `u` is unknown. */
function supportOf(stats: CaniemailData["data"][number]["stats"]): Pick<Feature, "unsupported" | "partial"> {
  const unsupported: string[] = [];
  const partial: string[] = [];
  for (const [family, platforms] of Object.entries(stats)) {
    for (const [platform, versions] of Object.entries(platforms)) {
      const latest = Object.values(versions).at(-1) ?? "u";
      const name = `${data.nicenames.family[family] ?? family} (${data.nicenames.platform[platform] ?? platform})`;
      if (latest.startsWith("n")) unsupported.push(name);
      else if (latest.startsWith("a")) partial.push(name);
    }
  }
  return { unsupported, partial };
}

function anyElement(...names: readonly string[]): Use {
  return ({ elements }) => names.some((name) => elements.has(name));
}

function anyAttribute(...names: readonly string[]): Use {
  return ({ attributes }) => names.some((name) => attributes.has(name));
}

function anyFormat(...names: readonly string[]): Use {
  return (usage) => names.some((name) => usage.imageFormats.has(name));
}

function anyProperty(...names: readonly string[]): Use {
  return ({ css }) => names.some((name) => css.properties.has(name));
}

function anyFunction(...names: readonly string[]): Use {
  return ({ css }) => names.some((name) => css.functions.has(name));
}

function anyKeyword(...names: readonly string[]): Use {
  return ({ css }) => names.some((name) => css.keywords.has(name));
}

function anyAtRule(...starts: readonly string[]): Use {
  return ({ css }) => Array.from(css.atRules).some((rule) => starts.some((start) => rule.includes(start)));
}
