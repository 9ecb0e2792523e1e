import type { Context } from "../context.ts";
import { randomUUID } from "node:crypto";
import { invalidField, notFound } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { OwnedNumber } from "../../core/phone-number.ts";
import type { SmsReply } from "../../egress/callbacks/delivery-content.ts";
import { encodeSmsReply, replyDelivery } from "../../egress/sms/sms-deliveries.ts";
import type { NewDelivery } from "../../store/callback-store.ts";
import type { InsertOptions } from "../../store/store.ts";
import { storeMessages } from "../inbound/store-messages.ts";
import { checkPhrase } from "./phone-numbers.ts";
import { outboundOf, type ReplyFields } from "../services/sending/new-mail.ts";
import { openNumberSecrets } from "../services/security/stored-secrets.ts";
import type { OpenedMessage } from "../services/sending/open-original.ts";
import type { IdempotencyTicket } from "../services/sending/idempotency.ts";
import { recordSms, type SmsContent } from "../services/reading/sms-record.ts";

/** Route of a reply: to the application's webhook or event webhook, or through the number's provider account. */
type ReplyWay =
  | { readonly kind: "inbound"; readonly url: string }
  | { readonly kind: "provider" }
  | { readonly kind: "events"; readonly deliveryOf: SmsAnswering };

/** Returns the delivery of an answer to the receiver of a provider's events. */
export type SmsAnswering = (answer: Omit<SmsReply, "kind">) => NewDelivery;

interface SmsReplyRequest {
  readonly fields: ReplyFields;
  readonly ticket: IdempotencyTicket | null;
  /** Null where the SMS came through no provider that sends answers as events. */
  readonly answering: SmsAnswering | null;
}

/**
 * Replies to an SMS with an approved phrase: stores it as sent, with its delivery, in the same transaction. SMS from a
 * provider are answered through the number's account, others through its webhook; if the number lacks one, through the
 * other. An SMS whose provider reports answers as events is answered so (`answering`). Rejects with a 400 on anything but
 * `text`, and when there is none of these.
 */
export async function replyBySms(
  context: Context,
  opened: OpenedMessage,
  { fields, ticket, answering }: SmsReplyRequest,
): Promise<MessageId> {
  const text = await readAnswer(context, fields);
  const ends = await readEnds(context, opened, answering);
  return context.quotas.spend("sms", 1, () =>
    storeReply(context, { ...ends, text }, { server: opened.server, ticket }),
  );
}

interface Answer extends SmsContent {
  readonly way: ReplyWay;
}

async function storeReply(
  context: Context,
  text: Answer,
  { server, ticket }: { server: ServerId; ticket: IdempotencyTicket | null },
): Promise<MessageId> {
  const { stored } = await storeMessages(context, () => {
    const { id } = context.ids.next(server, "Sent");
    const repeatable = ticket === null ? null : { ...ticket, message: id };
    return { records: [recordSms(id, text)], options: { ...outboundFor(context, id, text), repeatable } };
  });
  const [record] = stored;
  if (record === undefined) throw notFound("Server");
  if (text.way.kind === "provider") context.wakeOutbox();
  else context.wakeCallbacks();
  return record.id;
}

async function readAnswer(context: Context, fields: ReplyFields): Promise<string> {
  const { text, attachments = [], ...others } = fields;
  const errors = new FieldCollector();
  for (const field of Object.keys({ ...others, ...(attachments.length > 0 && { attachments }) })) {
    errors.add({ field, description: "An SMS can be answered with text only", code: "not_for_sms" });
  }
  if (text === undefined) errors.add({ field: "text", description: "Give an approved phrase", code: "required" });
  else await errors.collectAsync(() => checkPhrase(context, text));
  errors.finish();
  return (text ?? "").trim();
}

/** Returns sender and recipient of the reply, swapped from the original, and its route. */
async function readEnds(
  context: Context,
  { id, message, via }: OpenedMessage,
  answering: SmsAnswering | null,
): Promise<Omit<Answer, "text">> {
  const from = message.to[0]?.phone ?? "";
  const to = message.from[0]?.phone ?? "";
  if (answering !== null) return { from, to, way: { kind: "events", deliveryOf: answering } };
  const isSent = decodeMessageId(id).direction === "Sent";
  const number = isSent ? undefined : await context.store.phoneNumbers.findPhoneNumber(from);
  const ways: readonly ReplyWay[] = number === undefined ? [] : waysOf(context, number);
  const [way] = via === null ? ways : ways.toReversed();
  if (way === undefined) {
    const description = "The number that received the SMS has neither a webhook nor a provider account";
    throw invalidField("text", description, "no_webhook");
  }
  return { from, to, way };
}

function waysOf(context: Context, number: OwnedNumber): readonly ReplyWay[] {
  const { webhook: url } = number;
  const hasAccount = (openNumberSecrets(context.secrets, number)?.account ?? null) !== null;
  return [
    ...(url === null ? [] : [{ kind: "inbound", url } as const]),
    ...(hasAccount ? [{ kind: "provider" } as const] : []),
  ];
}

/** Returns the delivery or the outbox entry of a reply, with the hourly outbound limit, which the store enforces. */
function outboundFor(context: Context, id: MessageId, { way, from, to, text }: Answer): InsertOptions {
  const now = context.clock.now();
  const answer = { from, to, text, id, server: decodeMessageId(id).server };
  if (way.kind === "events") return { ...outboundOf(context, []), deliveries: [way.deliveryOf(answer)] };
  const reply: SmsReply = { kind: way.kind, ...answer };
  if (way.kind === "inbound") {
    return { ...outboundOf(context, []), deliveries: [replyDelivery({ message: id, url: way.url, now }, reply)] };
  }
  const envelope = { mailFrom: "", rcptTo: [to], content: encodeSmsReply(reply) };
  const state = { status: "Queued", lastError: null, at: now } as const;
  return outboundOf(context, [{ id: randomUUID(), message: id, route: "hook", ...envelope, ...state }]);
}
