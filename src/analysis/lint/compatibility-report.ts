/** Features of HTML and CSS by email client, from the data of caniemail.com, which `scripts/read-caniemail.ts` updates. */
import support from "./email-client-support.json" with { type: "json" };
import { readUsage, type HtmlUsage } from "./html-usage.ts";
import { type LintRule, type LintSubject, type Notice, rulesOf } from "./lint-rule.ts";

/** Feature that a mail uses and some email clients lack. */
export interface UsedFeature {
  readonly title: string;
  /** Page with details. */
  readonly url: string;
  /** Names of email clients, `Outlook (Windows)`. */
  readonly unsupported: readonly string[];
  readonly partial: readonly string[];
}

/** Features of a mail that some email clients lack, and what they were compared with. */
export interface CompatibilityReport {
  readonly features: readonly UsedFeature[];
  /** Names of all email clients. */
  readonly clients: readonly string[];
  /** Share of the used features that each client supports, the lowest first; partial support counts half. */
  readonly shares: readonly { readonly name: string; readonly share: number }[];
  /** Number of features that were looked for. */
  readonly featureCount: number;
  /** Number of features that the mail uses. Includes features that all clients support. */
  readonly usedCount: number;
}

/** Compares HTML with the features of email clients, by the data of caniemail.com. Linear in the HTML. */
export function reportCompatibility(html: string): CompatibilityReport {
  const usage = readUsage(html, compatibilityAttributes());
  const features = compatibilityFeatures();
  const used = features.filter((feature) => feature.isUsed(usage));
  const lacking = used.filter(({ unsupported, partial }) => unsupported.length + partial.length > 0);
  return {
    features: lacking.map(({ title, url, unsupported, partial }) => ({ title, url, unsupported, partial })),
    clients: clientNames,
    shares: clientNames
      .map((name) => ({ name, share: shareOf(name, used) }))
      .toSorted((one, other) => one.share - other.share),
    featureCount: features.length,
    usedCount: used.length,
  };
}

function shareOf(client: string, used: readonly Feature[]): number {
  const lacked = used.filter(({ unsupported }) => unsupported.includes(client)).length;
  const halved = used.filter(({ partial }) => partial.includes(client)).length;
  return used.length === 0 ? 1 : 1 - (lacked + halved / 2) / used.length;
}

const namedCountMax = 6;

/** Rules about features that email clients lack, according to caniemail.com. */
export const compatibilityRules: readonly LintRule[] = rulesOf("compatibility", {
  "feature-unsupported": {
    severity: "warning",
    meaning:
      "All email clients support the features that the HTML and its styles use, according to caniemail.com. One finding for each feature, with the clients that lack it.",
    check: (subject) => judge(subject, ({ unsupported }) => unsupported, "is not supported by"),
  },
  "feature-partial": {
    severity: "info",
    meaning:
      "Every used feature has full support in the email clients that support it, according to the same data; the page in the finding lists the exceptions.",
    check: (subject) =>
      judge(
        subject,
        (feature) => (feature.unsupported.length > 0 ? [] : feature.partial),
        "is only partially supported by",
      ),
  },
});

function judge(
  { html }: LintSubject,
  clientsOf: (feature: Feature) => readonly string[],
  verb: string,
): readonly Notice[] {
  if (html === null) return [];
  const usage = readUsage(html, compatibilityAttributes());
  return compatibilityFeatures()
    .filter((feature) => clientsOf(feature).length > 0 && feature.isUsed(usage))
    .map((feature) => ({ message: `${feature.title} ${verb} ${list(clientsOf(feature))}`, subject: feature.url }));
}

function list(names: readonly string[]): string {
  const more = names.length - namedCountMax;
  return more > 0 ? `${names.slice(0, namedCountMax).join(", ")} and ${more} more` : names.join(", ");
}

/** Feature of HTML or CSS and the email clients that lack it. */
export interface Feature extends UsedFeature {
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
