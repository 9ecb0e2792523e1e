import { analyseHtml } from "../../../analysis/analyse-html.ts";
import { analyseText } from "../../../analysis/analyse-text.ts";
import type { HtmlContent, TextContent } from "../../../core/message.ts";
import { joinTexts } from "../../../mime/body-content.ts";
import type { PartText } from "../../../mime/part.ts";

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

/** Bodies to show: from the raw mail, with what was found in them when it arrived. */
export interface BodyRequest {
  readonly raw: Uint8Array;
  readonly places: BodyPlaces;
  /** What is shown besides the texts; null where the bodies have to be analysed. */
  readonly known: EmailBodies | null;
}

/** Reads the bodies and analyses them unless that was done before. Linear, never throws. */
export function readBodies({ raw, places, known }: BodyRequest): EmailBodies {
  const texts = readBodyTexts(raw, places);
  if (known === null) return analyseBodies(texts);
  const { html, text } = known;
  return { html: { ...html, body: texts.html ?? html.body }, text: { ...text, body: texts.text ?? text.body } };
}

/** Bodies of which the texts are UTF-8 apart from them, where `body` is null; null where there is none. */
export interface ApartBodies {
  readonly bodies: EmailBodies;
  readonly texts: LargeTexts;
}

/** Texts of a message that are too large to be held as strings by the thread that holds the sockets. */
export interface LargeTexts {
  readonly html: Uint8Array | null;
  readonly text: Uint8Array | null;
}

/** Texts of a message whose bodies are complete. */
export const noLargeTexts: LargeTexts = { html: null, text: null };

/** As {@link readBodies}, the texts apart; unpaired surrogates in them become U+FFFD. */
export function readBodiesApart(request: BodyRequest): ApartBodies {
  const { html, text } = readBodies(request);
  const encode = (body: string | null): Uint8Array | null => (body === null ? null : Buffer.from(body, "utf8"));
  return {
    bodies: { html: { ...html, body: null }, text: { ...text, body: null } },
    texts: { html: encode(html.body), text: encode(text.body) },
  };
}

/** UTF-16 units of bodies that are stored beside the raw mail; larger ones are read from it when they are shown. */
const storedBodiesLengthMax = 64 * 1024;

/** Returns the bodies without their texts where those are large; the raw mail contains them. */
export function withoutLargeTexts({ html, text }: EmailBodies): EmailBodies {
  const length = (html.body?.length ?? 0) + (text.body?.length ?? 0);
  if (length <= storedBodiesLengthMax) return { html, text };
  return { html: { ...html, body: null }, text: { ...text, body: null } };
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
