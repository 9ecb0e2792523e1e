import { analyseHtml } from "../analysis/analyse-html.ts";
import { analyseText } from "../analysis/analyse-text.ts";
import type { Code, HtmlContent, TextContent } from "../core/message.ts";
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

/** Reads the bodies out of the raw mail, which may be empty where there are none. Linear, never throws. */
export function readBodies(raw: Uint8Array, { htmlParts, textParts }: BodyPlaces): EmailBodies {
  return { html: readHtml(joinTexts(raw, htmlParts)), text: readText(joinTexts(raw, textParts)) };
}

/** The codes of both in the order found, HTML before text, none twice. */
export function codesOf({ html, text }: EmailBodies): readonly string[] {
  return [...new Set([...html.codes, ...text.codes].map((code: Code) => code.value))];
}

function readHtml(body: string | null): HtmlContent {
  if (body === null) return { links: [], codes: [], images: [], body };
  const { links, codes, images } = analyseHtml(body);
  return { links, codes, images, body };
}

function readText(body: string | null): TextContent {
  return body === null ? { links: [], codes: [], body } : { ...analyseText(body), body };
}
