import { analyseHtml } from "../analysis/analyse-html.ts";
import { summarise } from "../analysis/summarise.ts";
import { analyseText } from "../analysis/analyse-text.ts";
import { foldText } from "../core/fold.ts";
import type { HtmlContent, TextContent } from "../core/message.ts";
import { decodedLength, joinTexts } from "../mime/body-content.ts";
import { parseMail, type Mail } from "../mime/parse-mail.ts";
import type { Part, PartText } from "../mime/part.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { AttachmentDescription, EmailContent } from "./email-content.ts";

/** Reads everything out of a mail's bytes that the service will ever show or search. Never throws; linear in the bytes. */
export function readEmail(raw: Uint8Array, limits: MimeLimits): EmailContent {
  const mail = parseMail(raw, limits);
  const { headers, subject, from, to, cc, bcc, defects } = mail;
  const text = readText(raw, mail);
  const { html, visibleText } = readHtml(raw, mail);
  const searched = [text.body, html.body, visibleText].filter((one) => one !== null && one !== "");
  return {
    headers,
    subject,
    from,
    to,
    cc,
    bcc,
    html,
    text,
    htmlParts: mail.htmlParts.map(locate),
    textParts: mail.textParts.map(locate),
    defects,
    attachments: mail.attachments.map((part) => describe(raw, part)),
    summary: summarise(visibleText === "" ? (text.body ?? "") : visibleText),
    searchBody: foldText(searched.join("\n")),
  };
}

function readText(raw: Uint8Array, mail: Mail): TextContent {
  const body = joinTexts(raw, mail.textParts);
  if (body === null) return { links: [], codes: [], body: null };
  return { ...analyseText(body), body };
}

function readHtml(raw: Uint8Array, mail: Mail): { html: HtmlContent; visibleText: string } {
  const body = joinTexts(raw, mail.htmlParts);
  if (body === null) return { html: { links: [], codes: [], images: [], body: null }, visibleText: "" };
  const { links, codes, images, visibleText } = analyseHtml(body);
  return { html: { links, codes, images, body }, visibleText };
}

function locate({ bodyStart, bodyEnd, transferEncoding, charset, flow }: Part): PartText {
  return { bodyStart, bodyEnd, transferEncoding, charset, flow };
}

function describe(raw: Uint8Array, part: Part): AttachmentDescription {
  const { mediaType, fileName, contentId, bodyStart, bodyEnd, transferEncoding } = part;
  return {
    contentType: mediaType,
    fileName: fileName ?? "",
    contentId,
    length: decodedLength(raw, part),
    content: { bodyStart, bodyEnd, transferEncoding },
  };
}
