import { summarise } from "../../../analysis/summarise.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { Summary } from "../../../core/message.ts";
import type { NewMessage } from "../../../store/store.ts";
import type { EmailReader } from "./email-content.ts";
import { recordEmail } from "./email-record.ts";
import { restoreMessage } from "./restore-message.ts";
import { decodeDetail, type StoredMessageDetail } from "./stored-detail.ts";

/** Intact parts of a damaged message; null for damaged ones. */
export interface IntactParts {
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
