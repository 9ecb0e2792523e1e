import type { SmsMedia } from "../sms.ts";

/** Version in the paths of Twilio's REST API. */
export const apiVersion = "2010-04-01";

/** Status of a message. */
export type TwilioStatus = "queued" | "sent" | "delivered" | "undelivered" | "failed";

/** Message as Twilio represents it. */
export interface TwilioMessage {
  /** {@link twilioSid}. */
  readonly sid: string;
  readonly accountSid: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly status: TwilioStatus;
  readonly messagingServiceSid: string | null;
  /** Prefix of both numbers, such as `whatsapp`; null for SMS and MMS. */
  readonly channel: string | null;
  readonly media: readonly SmsMedia[];
}

/** Returns a number as Twilio writes it in a channel. */
export function inChannel(channel: string | null, number: string): string {
  return channel === null || !number.startsWith("+") ? number : `${channel}:${number}`;
}

/** Returns the SID of a UUID: two letters and its 32 hex digits. */
export function twilioSid(prefix: "SM" | "MM", id: string): string {
  return prefix + id.replaceAll("-", "");
}

/** Returns the UUID in a message's SID, with or without `.json` behind it; "" for anything else. */
export function uuidOfSid(sid: string): string {
  const hex = /^(?:SM|MM)([0-9a-f]{32})(?:\.json)?$/.exec(sid)?.[1] ?? "";
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
