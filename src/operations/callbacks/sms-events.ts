/** Events about SMS, of providers that send them to the receiver of their events about mail. */
import { randomUUID } from "node:crypto";
import type { EventSms, SmsEvent, SmsEvents } from "../../providers/callbacks.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import type { OpenedMessage } from "../services/sending/open-original.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import type { CallbackMessage } from "./event-mail.ts";
import { findEventTarget, newDelivery } from "./open-target.ts";

/** Returns the report that an SMS, which an application sent, was delivered; none where nothing reports on it. */
export async function smsReports(
  { clock }: Context,
  targets: readonly CallbackTarget[],
  message: CallbackMessage,
): Promise<readonly NewDelivery[]> {
  const name = message.detail.message.provider?.name;
  const target = targets.find(({ shape }) => shape === name);
  const events = target === undefined ? undefined : (await findEventWebhooks(target.shape))?.sms;
  const sms = smsOf(message);
  if (target === undefined || events?.isReported(sms) !== true) return [];
  return [deliveryOf(target, "delivered", { sms, at: clock.now() })];
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
  if (target === undefined || target.state === "disabled" || events === undefined) return null;
  return (answer) => {
    const sms = { ...answer, providerId: answer.id, metadata: {} };
    const delivery = deliveryOf(target, "received", { sms, at: context.clock.now() });
    return { ...delivery, deliversMessage: true };
  };
}

function deliveryOf(
  target: CallbackTarget,
  type: SmsEvent["type"],
  { sms, at }: Pick<SmsEvent, "sms" | "at">,
): NewDelivery {
  const event: SmsEvent = { id: randomUUID(), type, at, sms };
  const content = { kind: "event", event, defect: null } as const;
  return newDelivery(target, content, {
    type: `sms.${type}`,
    message: sms.id as NewDelivery["message"],
    createdAt: at,
  });
}
