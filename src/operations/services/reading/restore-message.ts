import { foldText } from "../../../core/fold.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { Summary } from "../../../core/message.ts";
import type { NewMessage, SearchKeys } from "../../../store/store.ts";
import type { EmailReader } from "./email-content.ts";
import { addressKeys } from "./email-record.ts";
import { encodeDetail, type StoredDetail } from "./stored-detail.ts";
import { summarySubject } from "./summary-subject.ts";

/** A message that was stored somewhere before. */
export interface MessageToRestore {
  readonly id: MessageId;
  readonly summary: Summary;
  readonly detail: StoredDetail;
  readonly raw: Uint8Array;
}

/** The message as the store kept it; its mail is read again, for nothing but what searches compare. */
export async function restoreMessage(
  { id, summary, detail, raw }: MessageToRestore,
  readEmail: EmailReader,
): Promise<NewMessage> {
  const { message, htmlParts, textParts, parts, session, via } = detail;
  // In the order in which it was made, by which a glance finds its way.
  const ordered = { message, htmlParts, textParts, parts, session, ...(via !== undefined && { via }) };
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify({ ...summary, subject: summarySubject(summary.subject) }), "utf8"),
    detailJson: encodeDetail(ordered, raw.byteLength),
    raw,
    keys: await searchKeysOf(detail, raw, readEmail),
  };
}

async function searchKeysOf({ message }: StoredDetail, raw: Uint8Array, readEmail: EmailReader): Promise<SearchKeys> {
  const { type, from, to, cc, bcc, metadata, subject, text } = message;
  const envelopeSender = { name: "", email: metadata.mailFrom ?? "", phone: null };
  return {
    from: addressKeys([...from, envelopeSender]),
    to: addressKeys([...to, ...cc, ...bcc, ...metadata.rcptTo]),
    subject: foldText(subject),
    body: type === "SMS" ? foldText(text?.body ?? "") : (await readEmail(raw)).searchBody,
  };
}
