import { summarise } from "../../../analysis/summarise.ts";
import { foldText } from "../../../core/fold.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { Summary } from "../../../core/message.ts";
import { SearchBody } from "../../../core/search/search-fields.ts";
import type { NewMessage, SearchKeys } from "../../../store/store.ts";
import type { EmailReader } from "./email-bodies.ts";
import { recordEmail, storedKeysOf } from "./email-record.ts";
import { summarySubject } from "./mail-files.ts";
import { searchFieldsOf } from "./search-fields.ts";
import { decodeDetail, encodeDetail, storedCodesOf } from "./stored-detail.ts";
import type { StoredDetail, StoredMessageDetail } from "./stored-detail.ts";

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

async function searchKeysOf(detail: StoredDetail, raw: Uint8Array, readEmail: EmailReader): Promise<SearchKeys> {
  const { message } = detail;
  const { type, from, to, cc, bcc, metadata, text, provider } = message;
  const content = type === "SMS" ? null : await readEmail(raw);
  const codes = storedCodesOf(message) ?? content?.codes ?? [];
  const attachments = content?.attachments ?? message.attachments.map((one) => ({ ...one, isInline: false }));
  const fields = searchFieldsOf({ from, to, cc, bcc, headers: metadata.headers, attachments, codes, provider });
  return {
    ...storedKeysOf(detail),
    body: new SearchBody(content?.searchBody ?? [foldText(text?.body ?? "")]),
    fields,
  };
}

/** Intact parts of a damaged message; null for damaged ones. */
interface IntactParts {
  readonly detail: Uint8Array | null;
  readonly raw: Uint8Array | null;
  /** Search keys of all recipients. */
  readonly recipients: readonly string[];
}

/**
 * Rebuilds a message: unchanged from detail and raw mail, without envelope sender and session from the raw mail alone.
 * Returns undefined when the raw mail is damaged.
 */
export async function rebuildMessage(
  id: MessageId,
  { detail, raw, recipients }: IntactParts,
  readEmail: EmailReader,
): Promise<NewMessage | undefined> {
  if (raw === null) return undefined;
  const content = raw.length === 0 ? null : await readEmail(raw);
  if (detail !== null) {
    const stored = decodeDetail(detail);
    const text = content?.summary ?? summarise(stored.message.text?.body ?? "");
    return await restoreMessage({ id, summary: summaryOf(id, stored.message, text), detail: stored, raw }, readEmail);
  }
  if (content === null) return undefined;
  return recordEmail(id, { raw, envelope: { mailFrom: null, rcptTo: recipients }, session: null }, content);
}

function summaryOf(
  id: MessageId,
  { type, subject, from, to, cc, bcc, received, attachments }: StoredMessageDetail,
  summary: string,
): Summary {
  const { server } = decodeMessageId(id);
  return { id, type, server, subject, from, to, cc, bcc, received, summary, attachments: attachments.length };
}
