/** Ids of Mailjet: MessageUUID is the UUID, the older numeric MessageID is derived from it. */
import { decodeMessageId, parseMessageId } from "../../core/ids.ts";
import type { EmailSession, StoredEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isUuid } from "../formats/uuid.ts";
import { newestEmails } from "../kit/emails.ts";
import { objectNotFound } from "./errors.ts";

/** Ids count from here, so that they have at most 15 digits, which the library reads as numbers, until 2051. */
const epoch = Date.UTC(2020, 0, 1);
const idsPerMillisecond = 1000;
const bounds = { countMax: 1000, pageSize: 25 };

/** Returns the numeric MessageID: the milliseconds of the UUID, and three digits of its random part. */
export function messageIdOf(uuid: string): number {
  const id = parseMessageId(uuid);
  if (id === undefined) return 0;
  const { receivedAt, random } = decodeMessageId(id);
  return Math.max(0, receivedAt - epoch) * idsPerMillisecond + (random % idsPerMillisecond);
}

/** Returns the mail with a MessageID or MessageUUID; rejects with Mailjet's 404 without one. */
export async function findEmail(session: EmailSession, id: string): Promise<StoredEmail> {
  if (isUuid(id)) return session.getEmail(id);
  if (!/^[1-9]\d{0,14}$/.test(id)) throw objectNotFound();
  const instant = Math.floor(Number(id) / idsPerMillisecond) + epoch;
  for await (const email of newestEmails(session, { since: instant, before: instant + 1 }, bounds)) {
    if (messageIdOf(email.providerId) === Number(id)) return email;
  }
  throw objectNotFound();
}

/** Returns the members of a list response. */
export function listWire(data: readonly unknown[], total: number = data.length): JsonObject {
  return { Count: data.length, Data: data, Total: total };
}
