/** Features by email client, from the data of caniemail.com, which `scripts/read-caniemail.ts` updates. */
import type { HtmlUsage } from "./html-usage.ts";
import support from "./email-client-support.json" with { type: "json" };

/** Feature of HTML or CSS and the email clients that lack it. */
export interface Feature {
  readonly title: string;
  /** Page with details. */
  readonly url: string;
  /** Names of email clients, `Outlook (Windows)`. */
  readonly unsupported: readonly string[];
  readonly partial: readonly string[];
  readonly isUsed: (usage: HtmlUsage) => boolean;
}

type Use = Feature["isUsed"];

/** Returns the function from names to their use: whether a body has any of them among its own. */
function anyOf(ownOf: (usage: HtmlUsage) => ReadonlySet<string>): (...names: readonly string[]) => Use {
  return (...names) =>
    (usage) =>
      names.some((name) => ownOf(usage).has(name));
}

const anyElement = anyOf(({ elements }) => elements);
const anyAttribute = anyOf(({ attributes }) => attributes);
const anyFormat = anyOf(({ imageFormats }) => imageFormats);
const anyProperty = anyOf(({ css }) => css.properties);
const anyDeclaration = anyOf(({ css }) => css.declarations);
const anyFunction = anyOf(({ css }) => css.functions);
const anyKeyword = anyOf(({ css }) => css.keywords);
const anyPseudo = anyOf(({ css }) => css.pseudos);
const anyUnit = anyOf(({ css }) => css.units);

/** Features whose titles do not follow a pattern. */
const irregular: Readonly<Record<string, Use>> = {
  "HTML5 semantics": anyElement(
    ..."article aside details figcaption figure footer header main mark nav section summary time".split(" "),
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
  "Base 64 image format": anyFormat("base64"),
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

/** Patterns of titles and the features that they mean; the first match is used. */
const regular: readonly (readonly [pattern: RegExp, use: (match: RegExpExecArray) => Use])[] = [
  [/^<(input|button) type="(\w+)"> element$/, ([, name = "", type = ""]) => anyElement(`${name}[type=${type}]`)],
  [/^<(\w+)>(?: element)?$/, ([, name = ""]) => anyElement(name)],
  [/^([a-z-]+) attribute$/, ([, name = ""]) => anyAttribute(name)],
  [/^(.+) image format$/, ([, name = ""]) => anyFormat(...(imageFormats[name] ?? []))],
  [/^(%|[a-z]+) unit$/, ([, unit = ""]) => anyUnit(unit)],
  [/^@media \((.+)\)$/, ([, condition = ""]) => anyAtRule(`(${condition}`)],
  [/^@[a-z-]+$/, ([name]) => anyAtRule(name)],
  [/^::?[a-z-]+/, ([name]) => anyPseudo(name)],
  [/^[a-z-]+\(\)(?:, [a-z-]+\(\))*$/, ([names]) => anyFunction(...names.split(", ").map((one) => one.slice(0, -2)))],
  [/^([a-z-]+): ?([a-z]+)$/, ([, property = "", value = ""]) => anyDeclaration(`${property}:${value}`)],
  [/^([a-z-]+) property$/, ([, name = ""]) => anyProperty(name)],
  [/^[a-z-]+(?:(?:, | & )[a-z-]+)*\s*$/, ([names]) => anyProperty(...names.trim().split(/, | & /))],
];

/** Features that every mail needs or that other rules check, so that a finding would not help. */
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

/** Names of the email clients in the data. */
export const clientNames: readonly string[] = support.clients;

let features: readonly Feature[] | undefined;
let attributeNames: readonly string[] | undefined;

/** Returns the features that some email client lacks and whose use in a body can be detected. Collected with the first call. */
export function compatibilityFeatures(): readonly Feature[] {
  features ??= support.features.flatMap(({ title, slug, unsupported, partial }) => {
    const isUsed = useOf(title);
    const url = `${support.source}/features/${slug}/`;
    return isUsed === undefined
      ? []
      : [{ title, url, unsupported: namesOf(unsupported), partial: namesOf(partial), isUsed }];
  });
  return features;
}

/** Returns the names of the attributes among the features. */
export function compatibilityAttributes(): readonly string[] {
  attributeNames ??= [
    "srcset",
    "sizes",
    ...support.features.flatMap(({ title }) => /^([a-z-]+) attribute$/.exec(title)?.[1] ?? []),
  ];
  return attributeNames;
}

function namesOf(positions: readonly number[]): readonly string[] {
  return positions.map((position) => support.clients[position] ?? "");
}

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

function anyAtRule(...starts: readonly string[]): Use {
  return ({ css }) => Array.from(css.atRules).some((rule) => starts.some((start) => rule.includes(start)));
}
