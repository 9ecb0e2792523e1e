/** Responses and JSON of Mailpit. Member names and their order are those of its API. */
import { trim } from "../../core/trim.ts";
import type { Contact, HeaderField, Summary } from "../../core/message.ts";
import { summaryContactCountMax } from "../../core/limits.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import type { DescribedAttachment } from "../../operations/messages/get-transcript.ts";
import type { StoredDetail } from "../../operations/services/reading/stored-detail.ts";
import { type HttpResponse, jsonResponse, textResponse } from "../../http/http-response.ts";
import { contentOfStream } from "../responses.ts";
import type { ListedMessage } from "../mailbox.ts";
import { addressOf, fieldOf } from "../received-message.ts";

/** Response to a change. */
export const ok: HttpResponse = textResponse("ok", "text/plain");

/** Returns 200 with a JSON value, which ends with a line feed as Go's encoder writes it. */
export function json(value: unknown): HttpResponse {
  const response = jsonResponse(value);
  return {
    ...response,
    headers: { "content-type": "application/json" },
    body: [...(response.body ?? []), Buffer.from("\n")],
  };
}

/** Returns 200 with content that is written while it is sent; `sizeBytes` decides whether it has its length. */
export async function streamed(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { contentType, sizeBytes }: { readonly contentType: string; readonly sizeBytes: number },
): Promise<HttpResponse> {
  return { status: 200, headers: { "content-type": contentType }, ...(await contentOfStream(chunks, sizeBytes)) };
}

/** Mailbox. */
type MailpitAddress = Readonly<Record<"Name" | "Address", string>>;

/** Values of an empty list of recipients, and of an empty list of reply addresses. */
type EmptyLists = readonly [recipients: null | readonly [], replyTo: null | readonly []];

/** Text of a summary that Mailpit cuts is followed by three dots. */
const snippetLengthMax = 200;
/** UTF-16 units of a Message-ID in a list: more than a line of a mail may have (RFC 5322 §2.1.1). */
const messageIdLengthMax = 1000;

/** Returns an item of a list; `empty` differs between the lists of Mailpit. */
export function toMailpitSummary(
  { id, summary, marks, detail, sizeBytes }: ListedMessage,
  empty: EmptyLists = [null, []],
): Readonly<Record<string, unknown>> {
  const { headers, auth } = detail.message.metadata;
  const shown = (contacts: readonly Contact[], none = empty[0]): unknown =>
    contacts.length === 0 ? none : contacts.map(toAddress);
  return {
    ID: id,
    MessageID: messageIdOf(headers).slice(0, messageIdLengthMax),
    Read: marks.flags.includes("seen"),
    From: toFrom(summary, headers),
    To: shown(summary.to),
    Cc: shown(summary.cc),
    Bcc: shown(summary.bcc),
    ReplyTo: shown(replyToOf(headers).slice(0, summaryContactCountMax), empty[1]),
    Subject: summary.subject,
    Created: goTime(decodeMessageId(id).receivedAt),
    Username: auth?.user ?? "",
    Tags: marks.tags,
    Size: sizeBytes,
    Attachments: attachmentCountOf(detail),
    Snippet: summary.summary.length >= snippetLengthMax ? `${summary.summary}...` : summary.summary,
  };
}

/** Returns a contact as an address; an SMS has phone numbers in place of addresses. */
export function toAddress(contact: Contact): MailpitAddress {
  return { Name: contact.name, Address: addressOf(contact) };
}

/** Returns the sender: the first one, else the text of the From field as a name. */
export function toFrom({ from }: Pick<Summary, "from">, headers: readonly HeaderField[]): MailpitAddress {
  const [first] = from;
  return first === undefined ? { Name: fieldOf(headers, "from"), Address: "" } : toAddress(first);
}

/** Returns the contacts of the Reply-To field. */
export function replyToOf(headers: readonly HeaderField[]): readonly Contact[] {
  return parseAddressList(fieldOf(headers, "reply-to"));
}

/** Returns the Message-ID without angle brackets. */
export function messageIdOf(headers: readonly HeaderField[]): string {
  return trim(fieldOf(headers, "message-id"), "<>");
}

/** Formats an instant in UTC as Go does: a fraction without trailing zeros. */
export function goTime(instantMs: number): string {
  return new Date(instantMs).toISOString().replace(/\.?0*Z$/, "Z");
}

/** Returns the number of attachments that are not shown within the text. */
function attachmentCountOf({ message, parts }: StoredDetail): number {
  return message.attachments.filter((_, index) => parts[index]?.isInline !== true).length;
}

/** Returns the JSON of a file of a message. */
export function toMailpitFile(file: DescribedAttachment): unknown {
  return {
    PartID: file.partId,
    FileName: file.fileName,
    ContentType: file.contentType,
    ContentID: file.contentId ?? "",
    Size: file.length,
    Checksums: { MD5: file.md5, SHA1: file.sha1, SHA256: file.sha256 },
  };
}
