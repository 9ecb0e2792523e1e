import { randomInt } from "node:crypto";
import { invalidField, Problem } from "../core/errors.ts";
import { encodeMessageId, type MessageId, type ServerId } from "../core/ids.ts";
import { parsePhoneNumber, parseSmsSender } from "../core/phone-number.ts";
import { announce } from "./announce.ts";
import type { Context } from "./context.ts";
import { findCatchAll } from "./resolve-recipient.ts";
import { recordText, type TextMessage } from "./text-record.ts";

/** A text as a door hands it in. */
export interface TextArrival extends TextMessage {
  /** The server that gets it whatever its number; null: the number's server, else the catch-all. */
  readonly server: ServerId | null;
  /** Milliseconds since the Unix epoch; null for now. */
  readonly receivedAt: number | null;
}

type Needs = Pick<Context, "store" | "clock" | "ids" | "events" | "settings" | "quotas">;

/** Longest text, in UTF-16 units: that of the providers' send interfaces. */
export const textLengthMax = 1600;

/**
 * Stores a text and tells those who wait; resolves after the commit. Rejects with `recipient_unknown` when no server
 * takes texts for the number, with a 400 that names the field, and
 * with `limit_reached` when the day's texts are used up.
 */
export async function receiveText(context: Needs, arrival: TextArrival): Promise<MessageId> {
  const text = readText(arrival);
  const server = arrival.server ?? (await resolveNumber(context, text.to));
  if (server === undefined) throw new Problem("recipient_unknown", { text: "No server takes texts for this number" });
  return context.quotas.spend("sms", 1, () => storeText(context, { ...arrival, server }, text));
}

async function storeText(
  context: Needs,
  { server, receivedAt }: { server: ServerId; receivedAt: number | null },
  text: TextMessage,
): Promise<MessageId> {
  for (;;) {
    const record = recordText(newId(context, server, receivedAt), text);
    const outcomes = await context.store.addMessages([record]);
    if (outcomes[0]?.outcome === "collision") continue;
    if (outcomes[0]?.outcome !== "stored") throw new Problem("recipient_unknown");
    announce(context, [record], outcomes);
    return record.id;
  }
}

/** The server that takes texts for a number: its owner, else the catch-all; undefined when that is off. */
export async function resolveNumber(context: Needs, number: string): Promise<ServerId | undefined> {
  return (await context.store.phoneNumbers.findPhoneNumber(number))?.server ?? findCatchAll(context);
}

function readText(arrival: TextArrival): TextMessage {
  const from = parseSmsSender(arrival.from)?.value;
  const to = parsePhoneNumber(arrival.to);
  if (from === undefined) {
    throw invalidField("from", "Must be a number (+15550100), a short code or a name of at most 11 letters and digits");
  }
  if (to === undefined) throw invalidField("to", "Must be a number in international form, such as +15550100");
  if (arrival.text.length > textLengthMax) {
    throw invalidField("text", `At most ${String(textLengthMax)} characters`, "too_long");
  }
  return { from, to, text: arrival.text.toWellFormed() };
}

function newId(context: Needs, server: ServerId, receivedAt: number | null): MessageId {
  if (receivedAt === null) return context.ids.next(server, "Received").id;
  if (!Number.isFinite(receivedAt) || receivedAt < 0 || receivedAt > context.clock.now()) {
    throw invalidField("received", "Must be a moment that has passed, since 1970", "invalid_date");
  }
  const moment = Math.floor(receivedAt);
  return encodeMessageId({ server, direction: "Received", receivedAt: moment, random: randomInt(2 ** 32) });
}
