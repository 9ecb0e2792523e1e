/** Parts of mails that applications submit. */
import type { DraftAttachment, DraftMailbox } from "../email.ts";

/** Returns whether a text can be the name of a header field (RFC 5322 §2.2). */
export function isHeaderName(text: string): boolean {
  return /^[!-9;-~]+$/.test(text);
}

/** Returns a file that is given by its URL. It is not fetched: its content is the URL, as `text/uri-list` (RFC 2483). */
export function linkedFile(url: string): Pick<DraftAttachment, "contentType" | "content"> {
  return { contentType: "text/uri-list", content: Buffer.from(`${url}\r\n`) };
}

/** Returns a part of a mail with another type than those of its text and HTML, without a name. */
export function textPart(type: string, text: string): DraftAttachment {
  const contentType = `${type}; charset=utf-8`;
  return { fileName: null, contentType, content: Buffer.from(text), contentId: null, isInline: false };
}

/** Returns mailboxes, each address once; letter case does not distinguish them, and the first wins. */
export function withoutRepetitions<Mailbox extends DraftMailbox>(mailboxes: readonly Mailbox[]): readonly Mailbox[] {
  const found = new Map<string, Mailbox>();
  for (const mailbox of mailboxes) {
    const key = mailbox.address.toLowerCase();
    if (!found.has(key)) found.set(key, mailbox);
  }
  return [...found.values()];
}

/** Returns the addresses of mailboxes, each once as {@link withoutRepetitions}. */
export function addressesOf(mailboxes: readonly DraftMailbox[]): readonly string[] {
  return withoutRepetitions(mailboxes).map(({ address }) => address);
}
