import { analysedText } from "../../../analysis/analysed-text.ts";
import { analysedLengthMax } from "../../../core/limits.ts";
import { findCodesOfTexts, TooManyCandidates } from "../../../analysis/codes/find-codes.ts";
import { summarise } from "../../../analysis/summarise.ts";
import { readVisibleText } from "../../../analysis/visible-reader.ts";
import { foldText } from "../../../core/fold.ts";
import { decodedLength } from "../../../mime/body-content.ts";
import { parseMail } from "../../../mime/parse-mail.ts";
import type { Part, PartText } from "../../../mime/part.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { analyseBodies, codesOf, readBodyTexts, withoutLargeTexts } from "./email-bodies.ts";
import type { AttachmentDescription, BodyTexts, EmailContent } from "./email-bodies.ts";
import { cheapCodeCandidateMax, cheapLimits } from "./reading-cost.ts";

/**
 * Parses a mail: summary, search keys, codes, and the positions of bodies and attachments. Links and images of bodies are
 * found on reading the message. Returns null for a mail with more parts than {@link cheapLimits} allow, or more than
 * {@link cheapCodeCandidateMax} words with the form of a code. Never throws; linear in the bytes.
 */
export function readCheapEmail(raw: Uint8Array, limits: MimeLimits): EmailContent | null {
  const partCountMax = Math.min(limits.partCountMax, cheapLimits.partCountMax);
  const { content, texts } = read(raw, { ...limits, partCountMax });
  if (content.defects.includes("too_many_parts")) return null;
  try {
    return { ...content, bodies: null, codes: codesOfTexts(texts, cheapCodeCandidateMax) };
  } catch (error) {
    if (error instanceof TooManyCandidates) return null;
    throw error;
  }
}

/** As {@link readCheapEmail}; also null when parsing throws, which is a bug that the reader of other mails then reports. */
export function tryToReadCheapEmail(raw: Uint8Array, limits: MimeLimits): EmailContent | null {
  try {
    return readCheapEmail(raw, limits);
  } catch {
    // Harmless: the worker parses the mail again and reports the exception.
    return null;
  }
}

/** As {@link readCheapEmail}, for any mail. */
export function readEmail(raw: Uint8Array, limits: MimeLimits): EmailContent {
  const { content, texts } = read(raw, limits);
  return { ...content, bodies: null, codes: codesOfTexts(texts) };
}

/** As {@link readEmail}, and analyses the bodies, without large texts, which the raw mail contains. */
export function readEmailWhole(raw: Uint8Array, limits: MimeLimits): EmailContent {
  const { content, texts } = read(raw, limits);
  const bodies = analyseBodies(texts);
  return { ...content, bodies: withoutLargeTexts(bodies), codes: codesOf(bodies) };
}

/** Returns the codes that `codesOf` returns for the bodies. Throws as `findCodesOfTexts` does. */
function codesOfTexts({ text, visibleText }: ReadTexts, candidateMax?: number): readonly string[] {
  return findCodesOfTexts([visibleText, text === null ? "" : analysedText(text)], candidateMax);
}

/** Texts of the bodies, and the visible text of the HTML; "" without HTML. */
interface ReadTexts extends BodyTexts {
  readonly visibleText: string;
}

interface ReadContent {
  readonly content: Omit<EmailContent, "bodies" | "codes">;
  readonly texts: ReadTexts;
}

function read(raw: Uint8Array, limits: MimeLimits): ReadContent {
  const mail = parseMail(raw, limits);
  const { headers, subject, from, to, cc, bcc, defects } = mail;
  const places = { htmlParts: mail.htmlParts.map(locate), textParts: mail.textParts.map(locate) };
  const texts = readBodyTexts(raw, places);
  const { html, text } = texts;
  const visibleText = html === null ? "" : readVisibleText(html);
  const isTruncated = [text, html].some((one) => one !== null && one.length > analysedLengthMax);
  const content = {
    headers,
    subject,
    from,
    to,
    cc,
    bcc,
    ...places,
    defects: isTruncated ? [...defects, "analysis_truncated"] : defects,
    attachments: mail.attachments.map((part) => describe(raw, part)),
    summary: summarise(visibleText === "" ? (text ?? "") : visibleText),
    searchBody: [text === null ? null : joinWrapped(analysedText(text)), html, visibleText]
      .filter(hasText)
      .map((one) => foldText(analysedText(one))),
  };
  return { content, texts: { html, text, visibleText } };
}

/** Returns text without the line breaks within words of Chinese and Japanese, which are written without blanks. */
function joinWrapped(text: string): string {
  return /[\u3040-\u9fff]/.test(text) ? text.replaceAll(wrap, "") : text;
}

const wrap = /(?<=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60])\r?\n(?=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60])/g;

function hasText(text: string | null): text is string {
  return text !== null && text !== "";
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
