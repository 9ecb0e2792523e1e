/** Stored content of messages that arrive later. */
import type { FaultHit } from "../../core/fault.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ProviderOrigin } from "../../core/message.ts";
import type { SmtpSession } from "../../core/smtp-session.ts";
import type { WebhookRequest } from "../../providers/sms.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { SmsContent } from "../services/reading/sms-record.ts";

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
