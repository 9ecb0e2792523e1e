import { analysedText } from "../../../analysis/analysed-text.ts";
import { analysedLengthMax } from "../../../analysis/bounds.ts";
import { summarise } from "../../../analysis/summarise.ts";
import { readVisibleText } from "../../../analysis/visible-reader.ts";
import { foldText } from "../../../core/fold.ts";
import { decodedLength } from "../../../mime/body-content.ts";
import { parseMail } from "../../../mime/parse-mail.ts";
import type { Part, PartText } from "../../../mime/part.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { analyseBodies, readBodyTexts, withoutLargeTexts } from "./email-bodies.ts";
import type { AttachmentDescription, EmailContent } from "./email-content.ts";

/**
 * Parses a mail: summary, search keys, and the positions of bodies and attachments. Bodies are analysed on reading the
 * message. Never throws; linear in the bytes.
 */
export function readEmail(raw: Uint8Array, limits: MimeLimits): EmailContent {
  return read(raw, limits, { withBodies: false });
}

/** As {@link readEmail}, and analyses the bodies, without large texts, which the raw mail contains. */
export function readEmailWhole(raw: Uint8Array, limits: MimeLimits): EmailContent {
  return read(raw, limits, { withBodies: true });
}

function read(raw: Uint8Array, limits: MimeLimits, { withBodies }: { readonly withBodies: boolean }): EmailContent {
  const mail = parseMail(raw, limits);
  const { headers, subject, from, to, cc, bcc, defects } = mail;
  const places = { htmlParts: mail.htmlParts.map(locate), textParts: mail.textParts.map(locate) };
  const texts = readBodyTexts(raw, places);
  const { html, text } = texts;
  const visibleText = html === null ? "" : readVisibleText(html);
  const searched = [text, html, visibleText].flatMap((one) => (one === null || one === "" ? [] : [analysedText(one)]));
  const isTruncated = [text, html].some((one) => one !== null && one.length > analysedLengthMax);
  return {
    headers,
    subject,
    from,
    to,
    cc,
    bcc,
    ...places,
    bodies: withBodies ? withoutLargeTexts(analyseBodies(texts)) : null,
    defects: isTruncated ? [...defects, "analysis_truncated"] : defects,
    attachments: mail.attachments.map((part) => describe(raw, part)),
    summary: summarise(visibleText === "" ? (text ?? "") : visibleText),
    searchBody: foldText(searched.join("\n")),
  };
}

function locate({ bodyStart, bodyEnd, transferEncoding, charset, flow }: Part): PartText {
  return { bodyStart, bodyEnd, transferEncoding, charset, flow };
}

function describe(raw: Uint8Array, part: Part): AttachmentDescription {
  const { mediaType, fileName, contentId, disposition, bodyStart, bodyEnd, transferEncoding } = part;
  return {
    contentType: mediaType,
    isInline: disposition === "inline" || (disposition === null && contentId !== null),
    fileName: fileName ?? "",
    contentId,
    length: decodedLength(raw, part),
    content: { bodyStart, bodyEnd, transferEncoding },
  };
}
