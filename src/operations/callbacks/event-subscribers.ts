/** Targets of the events of a provider: the event webhook of a server, and those that applications registered. */
import { randomUUID } from "node:crypto";
import type { EventWebhooks, MailEvent, SmsEvent, SmsEvents, EventSms } from "../../providers/callbacks.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import { settingsOf } from "./target-settings.ts";
import type { Context } from "../context.ts";
import type { OpenedMessage } from "../services/sending/open-original.ts";
import { findEventWebhooks } from "./callback-formats.ts";
import type { CallbackMessage } from "./event-mail.ts";
import { findEventTarget, newDelivery } from "./open-target.ts";

/** Target of events. */
export interface EventSubscriber {
  readonly target: CallbackTarget;
  /** Returns whether the target receives an event that no request of the API named. */
  readonly wants: (event: MailEvent, format: EventWebhooks) => boolean;
  /** Returns whether the target receives a report about an SMS. */
  readonly wantsSms: (event: SmsEvent, format: SmsEvents) => boolean;
}

/** Returns the targets of events; registered ones that are not active are left out, and all disabled ones. */
export function openEventSubscribers(targets: readonly CallbackTarget[]): readonly EventSubscriber[] {
  return targets.flatMap((target): readonly EventSubscriber[] => {
    const { kind, state } = target;
    if (kind === "events" && state !== "disabled") {
      const { events, options } = settingsOf(kind, target);
      return [
        {
          target,
          wants: ({ type }, { typesOf, types }) =>
            events.includes(type) && (typesOf?.(options) ?? types).includes(type),
          wantsSms: ({ sms }, { isReported }) => isReported(sms),
        },
      ];
    }
    if (kind !== "registered" || state !== "active") return [];
    const { events } = settingsOf(kind, target);
    return [
      {
        target,
        wants: (event, { nameOf }) => nameOf !== undefined && events.includes(nameOf(event)),
        wantsSms: (event, { nameOf }) => nameOf !== undefined && events.includes(nameOf(event)),
      },
    ];
  });
}

// Events about SMS, of providers that send them to the receiver of their events about mail.

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
