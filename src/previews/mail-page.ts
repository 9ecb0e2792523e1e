import { analyseHtml } from "../analysis/analyse-html.ts";
import { flattenHtml } from "../analysis/flatten-html.ts";
import type { SafeImage } from "../analysis/safe-image.ts";
import { textMasks } from "../analysis/snapshots/text-masks.ts";
import type { MaskedValue } from "../core/snapshot.ts";
import { joinTexts } from "../mime/body-content.ts";
import { parseMail } from "../mime/parse-mail.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { EmailClient } from "./email-client.ts";
import { lacksOf, type Lacks } from "./lacks.ts";
import { collectImages, blockedImageUrl } from "./mail-images.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import type { AddressUse } from "./write-css.ts";

/** Mail as a page without external resources. */
export interface MailPage {
  readonly html: string;
  /** Images by address; the page shows no others. */
  readonly images: ReadonlyMap<string, SafeImage>;
}

/** Characters of HTML or text that are rendered; the rest is cut off. */
export const shownLengthMax = 5_000_000;
/** Nesting depth of elements; real mails have about forty levels. */
export const depthMax = 150;
/** Keeps everything that the allow-lists of HTML and CSS permit. */
export const lacksNothing: Lacks = {
  element: () => false,
  attribute: () => false,
  declaration: () => false,
  atRule: () => false,
  selector: () => false,
};

/**
 * Returns the mail as the email client would show it; with null, keeps features that clients do not support. Linear in the
 * mail; never throws.
 */
export function composePage(raw: Uint8Array, limits: MimeLimits, client: EmailClient | null): MailPage {
  return compose(raw, limits, { client, masked: null });
}

/**
 * Returns the mail as {@link composePage} does, with the values in its texts masked and nothing that moves: two sendings of one mail
 * look the same. Linear in the mail; never throws.
 */
export function composeMaskedPage(
  raw: Uint8Array,
  limits: MimeLimits,
  shown: { readonly client: EmailClient; readonly masked: readonly MaskedValue[] },
): MailPage {
  return compose(raw, limits, shown);
}

interface Shown {
  readonly client: EmailClient | null;
  /** Null to show the texts as they are. */
  readonly masked: readonly MaskedValue[] | null;
}

function compose(raw: Uint8Array, limits: MimeLimits, { client, masked }: Shown): MailPage {
  const mail = parseMail(raw, limits);
  const html = joinTexts(raw, mail.htmlParts);
  if (html === null) {
    const text = (joinTexts(raw, mail.textParts) ?? "").slice(0, shownLengthMax);
    return { html: plainPage(masked === null ? text : textMasks(text, masked)(text)), images: new Map() };
  }
  const images = collectImages(raw, mail.root);
  const isBlocked = client?.images === "blocked";
  const addressOf = (written: string, use: AddressUse): string | null => {
    if (use !== "image") return null;
    return isBlocked ? blockedImageUrl : images.urlOf(written);
  };
  const lacks = client === null ? lacksNothing : lacksOf(client.caniemailName);
  const shown = html.slice(0, shownLengthMax);
  const rewritten = rewriteHtml(shown, {
    lacks: masked === null ? lacks : withoutMotion(lacks),
    address: addressOf,
    ...(masked !== null && { text: textMasks(analyseHtml(shown).visibleText, masked) }),
  });
  return { html: flattenHtml(rewritten, depthMax), images: images.shown };
}

/** Excludes also what moves: pictures of two moments would differ. */
function withoutMotion(lacks: Lacks): Lacks {
  return {
    ...lacks,
    element: (name, type) => movingElements.has(name) || lacks.element(name, type),
    declaration: (text) => /^\s*(?:-webkit-)?(?:animation|transition)/i.test(text) || lacks.declaration(text),
  };
}

const movingElements: ReadonlySet<string> = new Set(["marquee", "progress", "blink"]);

/** Returns plain text as clients show it: line ends kept, long lines wrapped. */
function plainPage(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // The title and the language are ours: without them, an audit would report them as faults of the mail.
  return `<!doctype html><html lang="en"><title>Plain text</title><meta name="color-scheme" content="light dark"><body style="margin:16px"><div style="font:14px/1.4 sans-serif;white-space:pre-wrap;overflow-wrap:anywhere">${escaped}</div>`;
}
