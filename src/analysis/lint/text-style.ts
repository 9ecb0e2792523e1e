import { parseColour, type Colour } from "./colour.ts";

/** Style of text at one point of a body, from attributes and inline styles. */
export interface TextStyle {
  /** Null until something sets it; "unknown" if it is set to a value that cannot be computed here. */
  readonly colour: Colour | "unknown" | null;
  readonly background: Colour | "unknown" | null;
  readonly sizePx: number;
  readonly isBold: boolean;
  readonly isHidden: boolean;
}

/** Default style of an email client. */
export const plainStyle: TextStyle = { colour: null, background: null, sizePx: 16, isBold: false, isHidden: false };

const headingSizes: ReadonlyMap<string, number> = new Map(
  Object.entries({ h1: 32, h2: 24, h3: 18.72, h4: 16, h5: 13.28, h6: 10.72 }),
);
const bold: ReadonlySet<string> = new Set(["b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6"]);
const unitPx: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, pc: 16, in: 96 };
const styleLengthMax = 10_000;

type Attribute = (name: string) => string | undefined;
type Declarations = ReadonlyMap<string, string>;

/** Returns the style inside of an element, from the one outside. Linear in the attributes. */
export function styleInside(outside: TextStyle, name: string, attribute: Attribute): TextStyle {
  const declared = readDeclarations(attribute("style") ?? "");
  const fontColour = name === "font" ? attribute("color") : undefined;
  return {
    colour: inherit(outside.colour, declared.get("color") ?? fontColour),
    background: backgroundInside(outside, declared, attribute),
    sizePx: readSize(declared.get("font-size"), headingSizes.get(name) ?? outside.sizePx),
    isBold: isBoldInside(outside, name, declared.get("font-weight")),
    isHidden: outside.isHidden || hides(declared) || isHiddenBy(attribute),
  };
}

function backgroundInside(outside: TextStyle, declared: Declarations, attribute: Attribute): TextStyle["background"] {
  if (attribute("background") !== undefined || declared.has("background-image")) return "unknown";
  const given = declared.get("background-color") ?? declared.get("background") ?? attribute("bgcolor");
  return inherit(outside.background, given);
}

function isBoldInside(outside: TextStyle, name: string, weight: string | undefined): boolean {
  if (weight !== undefined) return /^(?:bold|bolder|[6-9]00)$/.test(weight);
  return outside.isBold || bold.has(name);
}

function isHiddenBy(attribute: Attribute): boolean {
  return attribute("hidden") !== undefined || attribute("aria-hidden") === "true";
}

/** Returns the declarations of a `style` attribute, names and values in lower case; the last of equal names is used. */
function readDeclarations(style: string): ReadonlyMap<string, string> {
  const declarations = style.slice(0, styleLengthMax).toLowerCase().split(";");
  return new Map(
    declarations.map((one): [string, string] => {
      const colon = one.indexOf(":");
      return [
        one.slice(0, Math.max(0, colon)).trim(),
        one
          .slice(colon + 1)
          .replace("!important", "")
          .trim(),
      ];
    }),
  );
}

function inherit(outside: TextStyle["colour"], value: string | undefined): TextStyle["colour"] {
  if (value === undefined || value === "" || value === "inherit" || value === "transparent" || value === "none")
    return outside;
  return parseColour(value) ?? "unknown";
}

function readSize(value: string | undefined, outside: number): number {
  const [, number, unit = "px"] = /^(\d{1,6}(?:\.\d{1,6})?)(px|pt|pc|in|em|rem|%)?$/.exec(value ?? "") ?? [];
  if (number === undefined) return outside;
  if (unit === "em") return Number(number) * outside;
  if (unit === "%") return (Number(number) / 100) * outside;
  return Number(number) * (unit === "rem" ? 16 : (unitPx[unit] ?? 1));
}

function hides(declared: ReadonlyMap<string, string>): boolean {
  const isGone = declared.get("display") === "none" || declared.get("visibility") === "hidden";
  return isGone || declared.get("mso-hide") === "all" || /^0(?:\.0+)?$/.test(declared.get("opacity") ?? "");
}
