/** Parts of mails that applications submit. */
import type { DraftAttachment } from "../email.ts";

/** Returns whether a text can be the name of a header field (RFC 5322 §2.2). */
export function isHeaderName(text: string): boolean {
  return /^[!-9;-~]+$/.test(text);
}

/** Returns a file that is given by its URL. It is not fetched: its content is the URL, as `text/uri-list` (RFC 2483). */
export function linkedFile(url: string): Pick<DraftAttachment, "contentType" | "content"> {
  return { contentType: "text/uri-list", content: Buffer.from(`${url}\r\n`) };
}
