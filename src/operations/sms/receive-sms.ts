import { randomInt } from "node:crypto";
import { invalidField, Problem } from "../../core/errors.ts";
import type { FaultHit } from "../../core/fault.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { ProviderOrigin } from "../../core/message.ts";
import { type OwnedNumber, parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import type { NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { type IdempotencyTicket, runOnce } from "../services/sending/idempotency.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";
import { storeMessages } from "../inbound/store-messages.ts";
import { recordSms, type SmsContent, type SmsSource } from "../services/reading/sms-record.ts";

/** Incoming SMS. */
export interface SmsArrival extends SmsContent {
  /** Server that receives it regardless of the number; null: the number's server, else the catch-all. */
  readonly server: ServerId | null;
  /** Milliseconds since the Unix epoch, NaN when the request's date-time is malformed; null for now. */
  readonly receivedAt: number | null;
  /** Number whose provider called the webhook, and the provider's id if it has one; absent for other sources. */
  readonly webhook?: { readonly number: OwnedNumber; readonly providerId: string | null };
  /** Returns the facts of the provider's API that it was submitted through; none when absent. */
  readonly origin?: (id: MessageId) => ProviderOrigin;
  /** Faults that applied to the SMS; none when absent. */
  readonly faults?: readonly FaultHit[];
  /** Encoded transcript of the request; none when absent. */
  readonly transcript?: string | undefined;
  /** Returns deliveries of callbacks that are stored in the same transaction; none when absent. */
  readonly deliveries?: (id: MessageId) => readonly NewDelivery[];
}

/** Significant length of provider ids, which are shorter. */
const providerIdLengthMax = 255;

/** Longest SMS in UTF-16 units, as in the providers' APIs. */
export const textLengthMax = 1600;

/**
 * Stores an SMS and notifies waiters; resolves after the commit. Rejects with `recipient_unknown` when no server receives
 * SMS for the number, with a 400 that names every wrong field, and with `limit_reached` when the daily limit is reached. A
 * webhook that a provider repeats within 24 hours returns the stored message.
 */
export async function receiveSms(context: Context, arrival: SmsArrival): Promise<MessageId> {
  const text = decodeSms(context, arrival);
  const server = arrival.server ?? (await resolveNumber(context, text.to));
  if (server === undefined) throw new Problem("recipient_unknown", { text: "No server receives SMS for this number" });
  const repeat = {
    scope: `inbound ${arrival.webhook?.number.id ?? ""}`,
    key: arrival.webhook?.providerId?.slice(0, providerIdLengthMax) ?? null,
    content: null,
  };
  return runOnce(context, repeat, async (ticket) =>
    context.quotas.spend("sms", 1, () => storeText(context, { ...arrival, server, ticket }, text)),
  );
}

async function storeText(
  context: Context,
  arrival: SmsArrival & { server: ServerId; ticket: IdempotencyTicket | null },
  text: SmsContent,
): Promise<MessageId> {
  const { server, receivedAt, ticket, deliveries } = arrival;
  const { stored } = await storeMessages(context, () => {
    const id = newId(context, server, receivedAt);
    const { media = [] } = arrival;
    const repeatable = ticket === null ? null : { ...ticket, message: id };
    return {
      records: [recordSms(id, { ...text, media, ...sourceOf(arrival, id) })],
      options: { deliveries: deliveries?.(id) ?? [], repeatable },
    };
  });
  const [record] = stored;
  if (record === undefined) throw new Problem("recipient_unknown");
  return record.id;
}

function sourceOf({ webhook, origin, faults = [], transcript }: SmsArrival, id: MessageId): SmsSource {
  return { via: webhook?.number.provider ?? null, provider: origin?.(id) ?? null, faults, transcript };
}

/** Returns the server that receives SMS for a number: its owner, else the catch-all; undefined when that is off. */
export async function resolveNumber(context: Context, number: string): Promise<ServerId | undefined> {
  return (await context.store.phoneNumbers.findPhoneNumber(number))?.server ?? findCatchAll(context);
}

/** Returns the content of an SMS in stored form; throws a 400 that names every wrong field. */
export function decodeSms(
  context: Context,
  arrival: Pick<SmsArrival, "from" | "to" | "text" | "receivedAt">,
): SmsContent {
  const errors = new FieldCollector();
  const from = errors.collect(() => readSender(arrival.from)) ?? "";
  const to = errors.collect(() => readReceiver(arrival.to)) ?? "";
  if (arrival.text.length > textLengthMax) {
    errors.add({ field: "text", description: `At most ${String(textLengthMax)} characters`, code: "too_long" });
  }
  errors.collect(() => checkReceivedAt(context, arrival.receivedAt));
  errors.finish();
  return { from, to, text: arrival.text.toWellFormed() };
}

function readSender(text: string): string {
  const from = parseSmsSender(text)?.value;
  if (from !== undefined) return from;
  throw invalidField("from", "Must be a number (+15550100), a short code or a name of at most 11 letters and digits");
}

function readReceiver(text: string): string {
  const to = parsePhoneNumber(text);
  if (to !== undefined) return to;
  throw invalidField("to", "Must be a number in international form, such as +15550100");
}

function newId(context: Context, server: ServerId, receivedAt: number | null): MessageId {
  if (receivedAt === null) return context.ids.next(server, "Received").id;
  const moment = Math.floor(receivedAt);
  return encodeMessageId({ server, direction: "Received", receivedAt: moment, random: randomInt(2 ** 32) });
}

/** Throws a 400 on `received` for an instant that is not a number, in the future, or before 1970. */
function checkReceivedAt(context: Context, receivedAt: number | null): void {
  if (receivedAt === null) return;
  if (!Number.isFinite(receivedAt) || receivedAt < 0 || receivedAt > context.clock.now()) {
    throw invalidField(
      "received",
      "Must be a date-time in the past, since 1970, in ISO 8601 or epoch milliseconds",
      "invalid_date",
    );
  }
}
