import { createHash } from "node:crypto";
import { readFacts } from "../../../analysis/mail-facts.ts";
import { decodeBytes } from "../../../mime/body-content.ts";
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
