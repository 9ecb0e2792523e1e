/** Records of messages that arrive. */
import type { FaultHit } from "../../core/fault.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { ProviderOrigin } from "../../core/message.ts";
import type { SmtpSession } from "../../core/smtp-session.ts";
import { statusDeliveries } from "../../egress/sms/sms-deliveries.ts";
import type { WebhookRequest } from "../../providers/sms.ts";
import type { DueMessage, ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { InsertOptions, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { reparseMark } from "./store-messages.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { recordSms, type SmsContent } from "../services/reading/sms-record.ts";

// Stored content of messages that arrive later.

/** Recipients of one server. */
export interface ServerRecipients {
  readonly server: ServerId;
  /** At least one. */
  readonly recipients: readonly string[];
}

/** Mail that arrives later; its raw bytes are stored apart. */
export interface ScheduledMail {
  /** Null for mail by SMTP. */
  readonly origin: ProviderOrigin | null;
  readonly mailFrom: string;
  /** One for a held mail. */
  readonly copies: readonly ServerRecipients[];
  /** Whether the service has written the header section. */
  readonly isComposed: boolean;
  /** Absent without an SMTP session. */
  readonly session?: SmtpSession;
  /** Encoded transcript of the session or of the request; absent without one. */
  readonly transcript?: string;
  /** Faults that applied before the mail was accepted; absent without one. */
  readonly faults?: readonly FaultHit[];
}

/** SMS that is held. */
export interface HeldSms extends SmsContent {
  readonly origin: ProviderOrigin;
  /** Status reports that are due when it arrives; null without a callback. */
  readonly callback: { readonly url: string; readonly calls: readonly WebhookRequest[] } | null;
  readonly faults: readonly FaultHit[];
  /** Encoded transcript of the request; absent without one. */
  readonly transcript?: string | undefined;
}

/** Content of {@link ScheduledMessage.json}. */
export type ScheduledContent = ScheduledMail | { readonly sms: HeldSms };

/** Decodes the content of a message that arrives later. */
export function scheduledContent({ json }: Pick<ScheduledMessage, "json">): ScheduledContent {
  return JSON.parse(json) as ScheduledContent;
}

/** Maximum number and size of the scheduled and held messages of a server. */
export const scheduleLimits: { readonly countMax: number; readonly bytesMax: number } = {
  countMax: 10_000,
  bytesMax: 2 * 1024 ** 3,
};

/** Header fields that precede the Date field of a composed mail. */
const searchedBytesMax = 256 * 1024;
/** Date of a composed mail; its length is the same for every instant of four-digit years. */
const dateField = /(?:^|\n)Date: ([A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} \+0000)\r\n/;

/** Returns a composed mail with another instant in its Date field; the other bytes stay as they are. */
function redate(raw: Uint8Array, instant: number): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = dateField.exec(bytes.toString("latin1", 0, searchedBytesMax));
  const [field, present] = found ?? [];
  const date = new Date(instant).toUTCString().replace("GMT", "+0000");
  if (found === null || field === undefined || present === undefined || date.length !== present.length) return raw;
  if (date === present) return raw;
  const changed = Buffer.from(bytes);
  changed.write(date, found.index + field.indexOf(present), "latin1");
  return changed;
}

/** Records of one arrival, and what is stored with them. */
export interface ArrivingRecords {
  readonly records: readonly NewMessage[];
  readonly options: InsertOptions;
}

/** Message that is due, with the ids of its messages. */
interface Arriving<Content> {
  readonly due: DueMessage;
  readonly raw: Uint8Array;
  readonly content: Content;
  /** In the order of its copies. */
  readonly ids: readonly MessageId[];
}

/** Returns the records of a mail, one for each copy. */
export async function recordMail(
  context: Context,
  { due, raw: scheduledRaw, content, ids }: Arriving<ScheduledMail>,
): Promise<ArrivingRecords> {
  const { origin, mailFrom, copies, isComposed, session = null, transcript, faults = [] } = content;
  const { id: submittedAs, sendAt, acceptedAt } = due;
  const isScheduled = acceptedAt === null;
  const raw = isComposed && isScheduled ? redate(scheduledRaw, sendAt) : scheduledRaw;
  const parsed = await context.readEmail(raw, copies[0]?.server);
  const provider = isScheduled && origin !== null ? { ...origin, scheduledAt: new Date(sendAt).toISOString() } : origin;
  const late = { submittedAs, acceptedAt, faults, ...(transcript !== undefined && { transcript }) };
  const records = copies.flatMap(({ recipients: rcptTo }, at) => {
    const id = ids[at];
    const mail = { raw, envelope: { mailFrom, rcptTo }, session, ...late, ...(provider !== null && { provider }) };
    return id === undefined ? [] : [recordEmail(id, mail, parsed)];
  });
  return { records, options: reparseMark(parsed, context.clock.now()) };
}

/** Returns the record of an SMS, with its status reports. */
export function recordHeldSms({ clock }: Context, { due, content, ids: [id] }: Arriving<HeldSms>): ArrivingRecords {
  if (id === undefined) throw new Error("an SMS arrives without an id");
  const { origin, callback, faults, from, to, text, media, transcript } = content;
  const late = { submittedAs: due.id, acceptedAt: due.acceptedAt, faults };
  const record = recordSms(id, {
    from,
    to,
    text,
    ...(media !== undefined && { media }),
    provider: origin,
    transcript,
    ...late,
  });
  const deliveries =
    callback === null ? [] : statusDeliveries({ message: id, url: callback.url, now: clock.now() }, callback.calls);
  return { records: [record], options: { deliveries } };
}
