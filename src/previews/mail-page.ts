import { flattenHtml } from "../analysis/flatten-html.ts";
import type { SafeImage } from "../analysis/safe-image.ts";
import { joinTexts } from "../mime/body-content.ts";
import { parseMail } from "../mime/parse-mail.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { EmailClient } from "./email-client.ts";
import { lacksOf, type Lacks } from "./lacks.ts";
import { collectImages, nowhere } from "./mail-images.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import type { AddressUse } from "./write-css.ts";

/** A mail as a page that needs nothing from anywhere. */
export interface MailPage {
  readonly html: string;
  /** By address; the only ones that the page shows. */
  readonly images: ReadonlyMap<string, SafeImage>;
}

/** Characters of HTML or text that are shown; the rest is cut off. */
export const shownLengthMax = 5_000_000;
/** Elements nested within each other; real mails have some forty. */
export const depthMax = 150;
/** Shows all that the lists of allowed HTML and CSS let through. */
export const lacksNothing: Lacks = {
  element: () => false,
  attribute: () => false,
  declaration: () => false,
  atRule: () => false,
  selector: () => false,
};

/** The mail as a program would show it, or (null) as one would that lacks nothing. Linear in the mail; never throws. */
export function composePage(raw: Uint8Array, limits: MimeLimits, client: EmailClient | null): MailPage {
  const mail = parseMail(raw, limits);
  const html = joinTexts(raw, mail.htmlParts);
  if (html === null) return { html: plainPage(joinTexts(raw, mail.textParts) ?? ""), images: new Map() };
  const images = collectImages(raw, mail.root);
  const isBlocked = client?.images === "blocked";
  const addressOf = (written: string, use: AddressUse): string | null => {
    if (use !== "image") return null;
    return isBlocked ? nowhere : images.urlOf(written);
  };
  const rewritten = rewriteHtml(html.slice(0, shownLengthMax), {
    lacks: client === null ? lacksNothing : lacksOf(client.program),
    address: addressOf,
  });
  return { html: flattenHtml(rewritten, depthMax), images: images.shown };
}

/** Plain text as programs show it: lines as they are, too long ones wrapped. */
function plainPage(text: string): string {
  const escaped = text.slice(0, shownLengthMax).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:16px"><div style="font:14px/1.4 sans-serif;white-space:pre-wrap;overflow-wrap:anywhere">${escaped}</div>`;
}
