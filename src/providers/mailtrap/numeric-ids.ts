/** Numbers in place of the ids of servers and messages, which JSON parsers read exactly. */
import { decodeMessageId, encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { ProviderMailbox } from "../mailbox.ts";

/** Values of the part of a message's number that distinguishes messages of one millisecond. */
const slotCount = 4096;
/** Bits of the random part of an id by which the ids of one source differ within a millisecond. */
const slotShift = 10;
/** Mails of one millisecond that are looked through. */
const simultaneousCountMax = 1000;

/** Returns the number of a server: its id as a number of base 36. */
export function numberOfServer(id: ServerId): number {
  return Number.parseInt(id, 36);
}

/** Returns the number of a message: the milliseconds of its receipt, and twelve of its random bits. Below 2⁵³ until 2039. */
export function numberOfMessage(id: MessageId): number {
  const { receivedAt, random } = decodeMessageId(id);
  return receivedAt * slotCount + ((random >>> slotShift) % slotCount);
}

/** Returns a number in a path; -1 for anything else. */
export function readNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : -1;
}

/** Returns the id of a received mail by its number; undefined without such a mail. */
export async function findByNumber(mailbox: ProviderMailbox, number: number): Promise<MessageId | undefined> {
  if (number < 0) return undefined;
  const receivedAt = Math.floor(number / slotCount);
  const { ids } = await mailbox.list({
    expression: { kind: "received", from: receivedAt, before: receivedAt + 1 },
    direction: "Received",
    top: simultaneousCountMax,
  });
  return ids.find((id) => numberOfMessage(id) === number);
}

/** Returns the oldest id that a mail with a number can have, to list older ones when it no longer exists. */
export function oldestIdOf(server: ServerId, number: number): MessageId {
  return encodeMessageId({ server, direction: "Received", receivedAt: Math.floor(number / slotCount), random: 0 });
}
