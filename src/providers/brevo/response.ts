import { uuidOfHex } from "../formats/uuid.ts";

/** Header field that events of a mail repeat. */
export const customHeader = "X-Mailin-custom";

const domain = "smtp-relay.mailin.fr";
const idPattern = /^<?(0|[1-9]\d{0,38})@smtp-relay\.mailin\.fr>?$/;
const uuidMax = (1n << 128n) - 1n;

/** Returns the message id of a UUID: its 128 bits in decimal. It is also the Message-ID field. */
export function messageIdOf(uuid: string): string {
  return `<${BigInt(`0x${uuid.replaceAll("-", "")}`).toString()}@${domain}>`;
}

/** Returns the UUID in a message id, with or without angle brackets; "" for anything else. */
export function uuidOfId(messageId: string): string {
  const number = BigInt(idPattern.exec(messageId)?.[1] ?? -1);
  if (number < 0n || number > uuidMax) return "";
  return uuidOfHex(number.toString(16).padStart(32, "0"));
}

/** Returns an instant as Brevo writes it: `2026-11-22T10:42:07.123+00:00`. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}
