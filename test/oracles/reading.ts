import { simpleParser } from "mailparser";
import type { AddressField, Mailbox } from "mailparser";
import PostalMime from "postal-mime";
import type { Address } from "postal-mime";
import { defaultLimits } from "../../src/core/limits.ts";
import { decodeBytes, joinTexts } from "../../src/mime/body-content.ts";
import { parseMail } from "../../src/mime/parse-mail.ts";

/** Result of a parser, in a form in which all three can be compared. */
export interface Reading {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** Without line ends at the end, where the parsers differ. */
  readonly text: string;
  readonly html: string;
  /** Names, "" for those that a parser generates. */
  readonly fileNames: readonly string[];
  /** Content-IDs, "" for none. */
  readonly contentIds: readonly string[];
  /** Decoded bytes in hexadecimal. */
  readonly contents: readonly string[];
}

/** Parses with the parser of this project. */
export function readOurs(raw: Buffer): Reading {
  const mail = parseMail(raw, defaultLimits);
  return {
    subject: mail.subject,
    from: mail.from.map(({ name, email }) => written(name, email)),
    to: mail.to.map(({ name, email }) => written(name, email)),
    cc: mail.cc.map(({ name, email }) => written(name, email)),
    text: trimmed(joinTexts(raw, mail.textParts)),
    html: trimmed(joinTexts(raw, mail.htmlParts)),
    fileNames: mail.attachments.map(({ fileName, contentId }) => declaredName(fileName, contentId)),
    contentIds: mail.attachments.map(({ contentId }) => contentId ?? ""),
    contents: mail.attachments.map((part) => Buffer.from(decodeBytes(raw, part)).toString("hex")),
  };
}

const plainOptions = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepCidLinks: true,
  keepDeliveryStatus: true,
};

/** Parses with mailparser, without its conversions between text and HTML. */
export async function readMailparser(raw: Buffer): Promise<Reading> {
  const mail = await simpleParser(raw, plainOptions);
  const flat = (fields: AddressField | readonly AddressField[] | undefined): string[] =>
    [fields ?? []]
      .flat()
      .flatMap(({ value }) => value)
      .flatMap((mailbox): readonly Mailbox[] => mailbox.group ?? [mailbox])
      .map(({ name, address }) => written(name, address));
  return {
    subject: mail.subject ?? "",
    from: flat(mail.from),
    to: flat(mail.to),
    cc: flat(mail.cc),
    text: trimmed(mail.text),
    html: trimmed(mail.html === false ? "" : mail.html),
    fileNames: mail.attachments.map(({ filename, cid }) => declaredName(filename, cid)),
    contentIds: mail.attachments.map(({ cid }) => cid ?? ""),
    contents: mail.attachments.map(({ content }) => content.toString("hex")),
  };
}

/** Parses with postal-mime. */
export async function readPostalMime(raw: Buffer): Promise<Reading> {
  const mail = await PostalMime.parse(raw, { attachmentEncoding: "arraybuffer" });
  const flat = (addresses: readonly Address[] | undefined): string[] =>
    (addresses ?? [])
      .flatMap((address) => (address.group === undefined ? [address] : address.group))
      .map(({ name, address }) => written(name, address));
  return {
    subject: mail.subject ?? "",
    from: flat(mail.from === undefined ? [] : [mail.from]),
    to: flat(mail.to),
    cc: flat(mail.cc),
    text: trimmed(mail.text),
    html: trimmed(mail.html),
    fileNames: mail.attachments.map(({ filename, contentId }) => declaredName(filename, contentId)),
    contentIds: mail.attachments.map(({ contentId }) => withoutBrackets(contentId)),
    contents: mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString("hex")),
  };
}

function written(name: string | undefined, address: string | null | undefined): string {
  return `${name ?? ""} <${address ?? ""}>`;
}

function trimmed(text: string | null | undefined): string {
  return (text ?? "").replaceAll("\r\n", "\n").replace(/\n+$/, "");
}

/** Returns "" for names that only this project generates, from a Content-ID or a position. */
function declaredName(fileName: string | null | undefined, contentId: string | null | undefined): string {
  if (fileName === withoutBrackets(contentId) || /^attachment-\d+\.[\w.]+$/.test(fileName ?? "")) return "";
  return fileName ?? "";
}

function withoutBrackets(contentId: string | null | undefined): string {
  return (contentId ?? "").replace(/^</, "").replace(/>$/, "");
}
