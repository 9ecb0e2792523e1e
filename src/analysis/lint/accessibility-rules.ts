import { contrast, type Colour } from "./colour.ts";
import type { OutlineElement, TextRun } from "./html-outline.ts";
import { type LintRule, type LintSubject, type Notice, noticeIf, noticesOf, rulesOf } from "./lint-rule.ts";

const vague =
  /^(?:click here|click|here|read more|more|learn more|link|this link|details|go|hier|mehr|ici|aquí|qui)[\s.!>»→]*$/i;
const fileName = /^[\w\s.-]+\.(?:png|jpe?g|gif|webp|svg|bmp)$/i;
const white: Colour = { red: 255, green: 255, blue: 255 };
const black: Colour = { red: 0, green: 0, blue: 0 };
/** Size in CSS pixels from which text is large (WCAG 2.2 1.4.3). */
const largePx = 24;
const largeBoldPx = 18.66;

/** Accessibility rules that need no browser: screen readers, zoom and colour vision deficiencies. */
export const accessibilityRules: readonly LintRule[] = rulesOf("accessibility", {
  "html-lang": {
    yieldsToAxe: true,
    severity: "warning",
    meaning: "The `html` element names the language (`lang`), so that screen readers pronounce it (WCAG 2.2 3.1.1).",
    check: ({ html, outline }) => {
      const root = outline.elements.find(({ name }) => name === "html");
      const language = root?.attributes.get("lang")?.trim() ?? "";
      const isValid = html === null || /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(language);
      const problem =
        language === "" ? "The HTML declares no language" : "The language of the HTML is not a valid language tag";
      return noticeIf(!isValid, problem, `<html lang="${language}">`);
    },
  },
  "html-title": {
    yieldsToAxe: true,
    severity: "info",
    meaning: "The HTML has a `title`, which screen readers and browsers announce (WCAG 2.2 2.4.2).",
    check: ({ html, outline }) =>
      noticeIf(html !== null && !outline.elements.some(({ name }) => name === "title"), "The HTML has no title"),
  },
  "image-alt": {
    yieldsToAxe: true,
    severity: "error",
    meaning: 'Every image is described by its `alt`; `alt=""` marks decoration (WCAG 2.2 1.1.1).',
    check: (subject) =>
      seen(subject, "img")
        .filter(({ attributes }) => !attributes.has("alt") && !isSilent(attributes))
        .map(notice("An image has no alt text", "src")),
  },
  "image-alt-file-name": {
    severity: "warning",
    meaning: "An `alt` describes the image and is not its file name.",
    check: (subject) =>
      seen(subject, "img")
        .filter(({ attributes }) => fileName.test(attributes.get("alt") ?? ""))
        .map(notice("The alt text of an image is a file name", "alt")),
  },
  "link-name": {
    yieldsToAxe: true,
    severity: "error",
    meaning: "Every link has text or contains an image with `alt` (WCAG 2.2 2.4.4, 4.1.2).",
    check: (subject) =>
      links(subject)
        .filter((element) => nameOf(element) === "")
        .map(notice("A link has no text", "href")),
  },
  "link-name-vague": {
    severity: "warning",
    meaning: "The text of a link describes its target, also out of context: not `click here` (WCAG 2.2 2.4.9).",
    check: (subject) =>
      noticesOf(
        "The text of a link does not describe its target",
        links(subject)
          .map(nameOf)
          .filter((name) => vague.test(name)),
      ),
  },
  "heading-order": {
    yieldsToAxe: true,
    severity: "warning",
    meaning: "Headings go down one level at a time, and none is empty (WCAG 2.2 1.3.1).",
    check: checkHeadings,
  },
  "table-role": {
    severity: "warning",
    meaning:
      'Layout tables have `role="presentation"` (or `none`), so that screen readers do not announce their cells; data tables have `th`.',
    check: (subject) => {
      const tables = subject.elements.has("th") ? [] : seen(subject, "table");
      const bare = tables.filter(({ attributes }) => !isPresentation(attributes)).length;
      return noticeIf(bare > 0, `${bare} of ${tables.length} layout tables have no role="presentation"`, "<table>");
    },
  },
  "text-contrast": {
    yieldsToAxe: true,
    severity: "warning",
    meaning:
      "Text has a contrast of at least 4.5 against its background, large text of 3 (WCAG 2.2 1.4.3). Checked for attributes and inline styles; it cannot be checked over images, gradients and style sheets.",
    check: ({ outline }) => outline.texts.flatMap(checkContrast),
  },
  "text-size": {
    severity: "info",
    meaning: "Text has a size of at least 12 CSS pixels; smaller text is hard to read, and phones enlarge it.",
    check: ({ outline }) => {
      const small = outline.texts.find(({ style }) => style.sizePx > 1 && style.sizePx < 12);
      return small === undefined
        ? []
        : [{ message: `There is text of ${Math.round(small.style.sizePx * 10) / 10} px`, subject: small.text }];
    },
  },
});

function seen({ outline }: LintSubject, name: string): readonly OutlineElement[] {
  return outline.elements.filter((element) => element.name === name && !element.isHidden);
}

function links(subject: LintSubject): readonly OutlineElement[] {
  return seen(subject, "a").filter(({ attributes }) => attributes.has("href"));
}

function isSilent(attributes: OutlineElement["attributes"]): boolean {
  return attributes.has("aria-label") || isPresentation(attributes);
}

function isPresentation(attributes: OutlineElement["attributes"]): boolean {
  return /^(?:presentation|none)$/i.test(attributes.get("role") ?? "");
}

function nameOf({ label, attributes }: OutlineElement): string {
  return (
    [label, attributes.get("aria-label"), attributes.get("title")]
      .find((one) => one !== undefined && one.trim() !== "")
      ?.trim() ?? ""
  );
}

/** Returns a notice about an element, which is shown with one attribute. */
function notice(message: string, attribute: string): (element: OutlineElement) => Notice {
  return ({ name, attributes }) => {
    const value = attributes.get(attribute);
    return { message, subject: value === undefined ? `<${name}>` : `<${name} ${attribute}="${value}">` };
  };
}

function* checkHeadings({ outline }: LintSubject): Generator<Notice> {
  let level = 0;
  for (const { name, label, isHidden } of outline.elements) {
    if (!/^h[1-6]$/.test(name) || isHidden) continue;
    const next = Number(name.slice(1));
    if (label.trim() === "") yield { message: "A heading is empty", subject: `<${name}>` };
    if (level > 0 && next > level + 1)
      yield { message: `A heading of level ${next} follows one of level ${level}`, subject: `<${name}>${label}` };
    level = next;
  }
}

function checkContrast({ text, style }: TextRun): readonly Notice[] {
  const { colour, background, sizePx, isBold } = style;
  if ((colour === null && background === null) || colour === "unknown" || background === "unknown") return [];
  if (sizePx <= 1) return [];
  const ratio = contrast(colour ?? black, background ?? white);
  const required = sizePx >= largePx || (isBold && sizePx >= largeBoldPx) ? 3 : 4.5;
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  return noticeIf(ratio < required, `Text has a contrast of ${shown}, and ${required} is needed`, text);
}
