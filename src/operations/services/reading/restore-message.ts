import { foldText } from "../../../core/fold.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { Summary } from "../../../core/message.ts";
import { SearchBody } from "../../../core/search/search-body.ts";
import type { NewMessage, SearchKeys } from "../../../store/store.ts";
import type { EmailReader } from "./email-content.ts";
import { addressKeys } from "./email-record.ts";
import { searchFieldsOf } from "./search-fields.ts";
import { labelKeys } from "./label-keys.ts";
import { encodeDetail, storedCodesOf, type StoredDetail } from "./stored-detail.ts";
import { summarySubject } from "./summary-subject.ts";

/** Message of an export or another store. */
export interface MessageToRestore {
  readonly id: MessageId;
  readonly summary: Summary;
  readonly detail: StoredDetail;
  readonly raw: Uint8Array;
}

/** Returns the message as it was stored; its mail is parsed for the search keys only. */
export async function restoreMessage(
  { id, summary, detail, raw }: MessageToRestore,
  readEmail: EmailReader,
): Promise<NewMessage> {
  const { message, htmlParts, textParts, parts, session, via, submittedAs, transcript, media } = detail;
  // In the original order of members, on which `decodeExcerpt` depends.
  const optional = {
    ...(via !== undefined && { via }),
    ...(submittedAs !== undefined && { submittedAs }),
    ...(transcript !== undefined && { transcript }),
    ...(media !== undefined && { media }),
  };
  const ordered = { message, htmlParts, textParts, parts, session, ...optional };
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify({ ...summary, subject: summarySubject(summary.subject) }), "utf8"),
    detailJson: encodeDetail(ordered, raw.byteLength),
    raw,
    keys: await searchKeysOf(detail, raw, readEmail),
  };
}

async function searchKeysOf(
  { message, submittedAs }: StoredDetail,
  raw: Uint8Array,
  readEmail: EmailReader,
): Promise<SearchKeys> {
  const { type, from, to, cc, bcc, metadata, subject, text, provider } = message;
  const envelopeSender = { name: "", email: metadata.mailFrom ?? "", phone: null };
  const content = type === "SMS" ? null : await readEmail(raw);
  const codes = storedCodesOf(message) ?? content?.codes ?? [];
  const attachments = content?.attachments ?? message.attachments.map((one) => ({ ...one, isInline: false }));
  const fields = searchFieldsOf({ from, to, cc, bcc, headers: metadata.headers, attachments, codes, provider });
  return {
    from: addressKeys([...from, envelopeSender]),
    to: addressKeys([...to, ...cc, ...bcc, ...metadata.rcptTo]),
    subject: foldText(subject),
    body: new SearchBody(content?.searchBody ?? [foldText(text?.body ?? "")]),
    ...labelKeys(provider, submittedAs),
    fields,
  };
}
