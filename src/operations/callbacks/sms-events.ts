/** Events about SMS, of providers that send them to the receiver of their events about mail. */
import { randomUUID } from "node:crypto";
import type { EventSms, SmsEvent, SmsEvents } from "../../providers/callbacks.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import type { OpenedMessage } from "../services/sending/open-original.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import type { CallbackMessage } from "./event-mail.ts";
import type { EventSubscriber } from "./event-subscribers.ts";
import { findEventTarget, newDelivery } from "./open-target.ts";

/** Returns the reports on an SMS that an application sent; none where nothing reports on it. */
export async function smsReports(
  { clock }: Context,
  subscribers: readonly EventSubscriber[],
  message: CallbackMessage,
): Promise<readonly NewDelivery[]> {
  const name = message.detail.message.provider?.name ?? "";
  const own = subscribers.filter(({ target }) => target.shape === name);
  const format = own.length === 0 ? undefined : (await findEventWebhooks(name))?.sms;
  if (format === undefined) return [];
  const [sms, at] = [smsOf(message), clock.now()];
  const reports = format.types.filter((type) => type !== "received").map((type) => eventOf(type, { sms, at }));
  return own.flatMap(({ target, wantsSms }) =>
    reports.filter((event) => wantsSms(event, format)).map((event) => deliveryOf(target, event)),
  );
}

function smsOf({ id, detail: { message } }: CallbackMessage): EventSms {
  const { provider, from, to, text } = message;
  const [sender, recipient] = [from[0]?.phone ?? "", to[0]?.phone ?? ""];
  const { id: providerId, metadata } = provider ?? { id, metadata: {} };
  return { id, providerId, from: sender, to: recipient, text: text?.body ?? "", metadata };
}

/** Returns how answers to an SMS reach the application that sent it; null where its provider sends no events about SMS. */
export async function openSmsAnswering(
  context: Context,
  { server, message: { provider } }: Pick<OpenedMessage, "server" | "message">,
): Promise<((answer: Omit<EventSms, "providerId" | "metadata">) => NewDelivery) | null> {
  const target = await findEventTarget(context, server, provider?.name ?? "");
  const events: SmsEvents | undefined = target === undefined ? undefined : (await findEventWebhooks(target.shape))?.sms;
  if (target === undefined || target.state === "disabled" || events?.types.includes("received") !== true) return null;
  return (answer) => {
    const sms = { ...answer, providerId: answer.id, metadata: {} };
    const delivery = deliveryOf(target, eventOf("received", { sms, at: context.clock.now() }));
    return { ...delivery, deliversMessage: true };
  };
}

function eventOf(type: SmsEvent["type"], facts: Pick<SmsEvent, "sms" | "at">): SmsEvent {
  return { id: randomUUID(), type, ...facts };
}

function deliveryOf(target: CallbackTarget, event: SmsEvent): NewDelivery {
  const { type, sms, at } = event;
  const content = { kind: "event", event, defect: null } as const;
  return newDelivery(target, content, {
    type: `sms.${type}`,
    message: sms.id as NewDelivery["message"],
    createdAt: at,
  });
}
