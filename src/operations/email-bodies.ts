import { analyseHtml } from "../analysis/analyse-html.ts";
import { analyseText } from "../analysis/analyse-text.ts";
import type { HtmlContent, TextContent } from "../core/message.ts";
import { joinTexts } from "../mime/body-content.ts";
import type { PartText } from "../mime/part.ts";

/** Both bodies of a message as they are shown, with what is found in them. */
export interface EmailBodies {
  readonly html: HtmlContent;
  readonly text: TextContent;
}

/** Where the bodies of a mail lie in its raw bytes. */
export interface BodyPlaces {
  readonly htmlParts: readonly PartText[];
  readonly textParts: readonly PartText[];
}

/** The bodies as text; null where there is none. */
export interface BodyTexts {
  readonly html: string | null;
  readonly text: string | null;
}

/** Reads the bodies out of the raw mail, which may be empty where there are none. Linear, never throws. */
export function readBodyTexts(raw: Uint8Array, { htmlParts, textParts }: BodyPlaces): BodyTexts {
  return { html: joinTexts(raw, htmlParts), text: joinTexts(raw, textParts) };
}

/** Finds in the bodies what is shown of them. Linear, never throws. */
export function analyseBodies({ html, text }: BodyTexts): EmailBodies {
  return { html: showHtml(html), text: showText(text) };
}

/** The codes of both in the order found, HTML before text, none twice. */
export function codesOf({ html, text }: EmailBodies): readonly string[] {
  return [...new Set([...html.codes, ...text.codes].map((code) => code.value))];
}

function showHtml(body: string | null): HtmlContent {
  if (body === null) return { links: [], codes: [], images: [], body };
  const { links, codes, images } = analyseHtml(body);
  return { links, codes, images, body };
}

function showText(body: string | null): TextContent {
  return body === null ? { links: [], codes: [], body } : { ...analyseText(body), body };
}
