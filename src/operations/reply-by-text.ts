import { randomUUID } from "node:crypto";
import { invalidField, Problem } from "../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../core/ids.ts";
import { encodeHook } from "../egress/hook-content.ts";
import type { NewOutboxEntry } from "../store/outbox-store.ts";
import { announce } from "./announce.ts";
import { checkPhrase } from "./approved-phrases.ts";
import type { OpenedMessage } from "./open-original.ts";
import type { RepeatTicket } from "./repeats.ts";
import type { ReplyFields } from "./reply-to-message.ts";
import type { SendingNeeds } from "./send-mail.ts";
import { recordText, type TextMessage } from "./text-record.ts";

/**
 * Answers a text with an approved phrase: stored as sent, and in the same transaction put into the outbox for the web
 * hook of the number that got the original. Rejects with a 400 on anything but `text`, and where the number has no hook.
 */
export async function replyByText(
  context: SendingNeeds,
  opened: OpenedMessage,
  { fields, ticket }: { fields: ReplyFields; ticket: RepeatTicket | null },
): Promise<MessageId> {
  const text = await readAnswer(context, fields);
  const ends = await readEnds(context, opened);
  context.leavingQuota.take(1);
  return context.quotas.spend("sms", 1, () =>
    storeReply(context, { ...ends, text }, { server: opened.server, ticket }),
  );
}

async function storeReply(
  context: SendingNeeds,
  text: TextMessage,
  { server, ticket }: { server: ServerId; ticket: RepeatTicket | null },
): Promise<MessageId> {
  for (;;) {
    const { id } = context.ids.next(server, "Sent");
    const record = recordText(id, text);
    const repeatable = ticket === null ? null : { ...ticket, message: id };
    const entries = [entryOf(context, id, text)];
    const outcomes = await context.store.addMessages([record], { entries, repeatable });
    if (outcomes[0]?.outcome === "collision") continue;
    if (outcomes[0]?.outcome !== "stored") throw new Problem("not_found");
    announce(context, [record], outcomes);
    context.wakeOutbox();
    return id;
  }
}

async function readAnswer(context: SendingNeeds, fields: ReplyFields): Promise<string> {
  const { text, attachments = [], ...others } = fields;
  const surplus = Object.keys({ ...others, ...(attachments.length > 0 && { attachments }) })[0];
  if (surplus !== undefined) throw invalidField(surplus, "A text is answered with text alone", "not_for_sms");
  if (text === undefined) throw invalidField("text", "Give an approved phrase", "required");
  await checkPhrase(context, text);
  return text.trim();
}

/** The other way round than the original went. */
async function readEnds(context: SendingNeeds, { id, message }: OpenedMessage): Promise<Omit<TextMessage, "text">> {
  const from = message.to[0]?.phone ?? "";
  const to = message.from[0]?.phone ?? "";
  const number = await context.store.phoneNumbers.findPhoneNumber(from);
  if (decodeMessageId(id).direction === "Sent" || number === undefined || number.webhook === null) {
    throw invalidField("text", "The number that got the text has no web hook to answer to", "no_webhook");
  }
  return { from, to };
}

function entryOf(context: SendingNeeds, id: MessageId, text: TextMessage): NewOutboxEntry {
  const { server } = decodeMessageId(id);
  return {
    id: randomUUID(),
    message: id,
    route: "hook",
    mailFrom: "",
    rcptTo: [text.to],
    content: encodeHook({ kind: "inbound", ...text, id, server }),
    status: "Queued",
    lastError: null,
    at: context.clock.now(),
  };
}
