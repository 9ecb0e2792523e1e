import { createHash } from "node:crypto";
import { readFacts } from "../../../analysis/mail-facts.ts";
import { summarySubjectLengthMax } from "../../../core/limits.ts";
import { decodeBytes } from "../../../mime/body-content.ts";
import { parseMail } from "../../../mime/parse-mail.ts";
import type { Part } from "../../../mime/part.ts";
import type { MimeLimits } from "../../../mime/source.ts";

/** Attachment of a mail, as the attachments of its message are ordered. */
export interface MailFile {
  /** Position in the part tree: `2.1` is the first child of the root's second one, `0` the root. */
  readonly partId: string;
  /** Whether readers show it as a file: with the disposition attachment, or as octets without a type. */
  readonly isAttachment: boolean;
  /** Digests of the decoded bytes, in lower-case hex. */
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
}

/** Attachments of a mail, and what its HTML shows as text. */
export interface MailFiles {
  readonly files: readonly MailFile[];
  /** Visible text of the HTML; null for a mail that has a text part or no HTML. */
  readonly textOfHtml: string | null;
  /** Whether lines of the text and of the HTML end with CRLF where they are decoded; those of the API end with LF. */
  readonly hasCrlf: { readonly text: boolean; readonly html: boolean };
}

/** Describes the attachments of a mail. Linear in the mail. */
export function describeFiles(raw: Uint8Array, limits: MimeLimits): MailFiles {
  const { mail, html, text, visibleText } = readFacts(raw, limits);
  const partIds = new Map<Part, string>();
  nameParts(mail.root, "", partIds);
  const files = mail.attachments.map((part): MailFile => {
    const bytes = decodeBytes(raw, part);
    const digest = (name: string): string => createHash(name).update(bytes).digest("hex");
    return {
      partId: partIds.get(part) ?? "0",
      isAttachment: part.disposition === "attachment" || part.mediaType === "application/octet-stream",
      md5: digest("md5"),
      sha1: digest("sha1"),
      sha256: digest("sha256"),
    };
  });
  const hasCrlf = { text: usesCrlf(raw, mail.textParts), html: usesCrlf(raw, mail.htmlParts) };
  return { files, textOfHtml: html !== null && text === null ? visibleText : null, hasCrlf };
}

function usesCrlf(raw: Uint8Array, [first]: readonly Part[]): boolean {
  return first !== undefined && Buffer.from(decodeBytes(raw, first)).includes("\r\n");
}

function nameParts(part: Part, own: string, partIds: Map<Part, string>): void {
  partIds.set(part, own === "" ? "0" : own);
  for (const [index, child] of part.children.entries()) {
    nameParts(child, own === "" ? String(index + 1) : `${own}.${index + 1}`, partIds);
  }
}

/** Returns the start of a subject for a summary: at most {@link summarySubjectLengthMax} units, without splitting a surrogate pair. */
export function summarySubject(subject: string): string {
  if (subject.length <= summarySubjectLengthMax) return subject;
  return subject.slice(0, summarySubjectLengthMax).replace(/[\ud800-\udbff]$/, "");
}

/** Description of one part of a mail; survives structured cloning. */
export interface PartOutline extends Pick<
  Part,
  "mediaType" | "charset" | "transferEncoding" | "disposition" | "fileName" | "contentId"
> {
  /** Size of the encoded body in bytes. */
  readonly sizeBytes: number;
  readonly children: readonly PartOutline[];
}

/** Returns the part tree of a mail, at most `partDepthMax` deep. Linear in the mail. */
export function outlineMail(raw: Uint8Array, limits: MimeLimits): PartOutline {
  return outline(parseMail(raw, limits).root);
}

function outline(part: Part): PartOutline {
  const { mediaType, charset, transferEncoding, disposition, fileName, contentId } = part;
  const sizeBytes = part.bodyEnd - part.bodyStart;
  const children = part.children.map(outline);
  return { mediaType, charset, transferEncoding, disposition, fileName, contentId, sizeBytes, children };
}
