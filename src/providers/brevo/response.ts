import { uuidOfDecimal, uuidToDecimal } from "../formats/uuid.ts";

/** Header field that events of a mail repeat. */
export const customHeader = "X-Mailin-custom";

const domain = "smtp-relay.mailin.fr";
const idPattern = /^<?(0|[1-9]\d{0,38})@smtp-relay\.mailin\.fr>?$/;

/** Returns the message id of a UUID: its 128 bits in decimal. It is also the Message-ID field. */
export function messageIdOf(uuid: string): string {
  return `<${uuidToDecimal(uuid)}@${domain}>`;
}

/** Returns the UUID in a message id, with or without angle brackets; "" for anything else. */
export function uuidOfId(messageId: string): string {
  return uuidOfDecimal(idPattern.exec(messageId)?.[1] ?? "");
}

/** Returns an instant as Brevo writes it: `2026-11-22T10:42:07.123+00:00`. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}
