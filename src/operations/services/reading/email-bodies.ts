import { analyseHtml } from "../../../analysis/analyse-html.ts";
import { analyseText } from "../../../analysis/analysed-text.ts";
import type { HtmlContent, TextContent } from "../../../core/message.ts";
import type { Mail } from "../../../mime/parse-mail.ts";
import { joinTexts } from "../../../mime/body-content.ts";
import type { PartContent, PartText } from "../../../mime/part.ts";

/** Both bodies of a message with their links, codes and images. */
export interface EmailBodies {
  readonly html: HtmlContent;
  readonly text: TextContent;
}

/** Positions of the bodies in the raw mail. */
export interface BodyPlaces {
  readonly htmlParts: readonly PartText[];
  readonly textParts: readonly PartText[];
}

/** Decoded texts of the bodies; null for a missing body. */
export interface BodyTexts {
  readonly html: string | null;
  readonly text: string | null;
}

/** Decodes the bodies from the raw mail, which may be empty without bodies. Linear, never throws. */
export function readBodyTexts(raw: Uint8Array, { htmlParts, textParts }: BodyPlaces): BodyTexts {
  return { html: joinTexts(raw, htmlParts), text: joinTexts(raw, textParts) };
}

/** Request to read the bodies of a mail. */
export interface BodyRequest {
  readonly raw: Uint8Array;
  readonly places: BodyPlaces;
  /** Stored results of the analysis; null when the bodies have to be analysed. */
  readonly known: EmailBodies | null;
}

/** Reads the bodies and analyses them unless the results are stored. Linear; throws as `findCodes` does. */
export function readBodies({ raw, places, known }: BodyRequest, candidateMax: number = Infinity): EmailBodies {
  const texts = readBodyTexts(raw, places);
  if (known === null) return analyseBodies(texts, candidateMax);
  const { html, text } = known;
  return { html: { ...html, body: texts.html ?? html.body }, text: { ...text, body: texts.text ?? text.body } };
}

/** Bodies with their texts as separate UTF-8 buffers; `body` is null in their place. */
export interface ApartBodies {
  readonly bodies: EmailBodies;
  readonly texts: LargeTexts;
}

/** Texts of a message that are too large for strings on the main thread. */
export interface LargeTexts {
  readonly html: Uint8Array | null;
  readonly text: Uint8Array | null;
}

/** Value for messages whose bodies are complete. */
export const noLargeTexts: LargeTexts = { html: null, text: null };

/** As {@link readBodies}, with the texts as separate buffers; unpaired surrogates become U+FFFD. */
export function readBodiesApart(request: BodyRequest): ApartBodies {
  const { html, text } = readBodies(request);
  const encode = (body: string | null): Uint8Array | null => (body === null ? null : Buffer.from(body, "utf8"));
  return {
    bodies: { html: { ...html, body: null }, text: { ...text, body: null } },
    texts: { html: encode(html.body), text: encode(text.body) },
  };
}

/** UTF-16 units of bodies that are stored with the detail; larger ones are read from the raw mail. */
const storedBodiesLengthMax = 64 * 1024;

/** Returns the bodies without large texts, which the raw mail contains. */
export function withoutLargeTexts({ html, text }: EmailBodies): EmailBodies {
  const length = (html.body?.length ?? 0) + (text.body?.length ?? 0);
  if (length <= storedBodiesLengthMax) return { html, text };
  return { html: { ...html, body: null }, text: { ...text, body: null } };
}

/** Finds links, codes and images in the bodies. Linear; throws as `findCodes` does. */
export function analyseBodies({ html, text }: BodyTexts, candidateMax: number = Infinity): EmailBodies {
  const ofText = text === null ? noText : analyseText(text, candidateMax);
  const { links, codes, images } = html === null ? noHtml : analyseHtml(html, candidateMax);
  return { html: { links, codes, images, body: html }, text: { ...ofText, body: text } };
}

const noText = { links: [], codes: [] };
const noHtml = { ...noText, images: [] };

/** Returns the distinct codes of both bodies, HTML before text. */
export function codesOf({ html, text }: EmailBodies): readonly string[] {
  return [...new Set([...html.codes, ...text.codes].map((code) => code.value))];
}

/** Attachment of a parsed mail, without an id. */
export interface AttachmentDescription {
  readonly contentType: string;
  readonly fileName: string;
  readonly contentId: string | null;
  /** Size in decoded bytes. */
  readonly length: number;
  /** Whether it is shown within the text: its disposition says so, or it has a Content-ID and no disposition. */
  readonly isInline: boolean;
  /** Position and transfer encoding in the raw mail. */
  readonly content: PartContent;
}

/** Parsed content of a received mail; survives structured cloning. */
export interface EmailContent extends BodyPlaces, Pick<Mail, "headers" | "subject" | "from" | "to" | "cc" | "bcc"> {
  /**
   * Bodies of a mail that is not cheap to parse (see `reading-cost.ts`), without large texts; null when they are analysed on
   * reading the message.
   */
  readonly bodies: EmailBodies | null;
  /** Distinct one-time codes of both bodies, HTML before text. */
  readonly codes: readonly string[];
  readonly attachments: readonly AttachmentDescription[];
  /** The first ~200 characters of visible text. */
  readonly summary: string;
  /** Texts of the `SearchBody`: text part, HTML source and visible text of the HTML, folded; without empty ones. */
  readonly searchBody: readonly string[];
  readonly defects: readonly string[];
}

/**
 * Parses a mail; never rejects because of its content. Rejects with `unavailable` when too many wait. Mails that are not
 * cheap are parsed round-robin between keys (servers).
 */
export type EmailReader = (raw: Uint8Array, key?: string) => EmailContent | Promise<EmailContent>;
