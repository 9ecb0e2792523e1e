/** Targets of the events of a provider: the event webhook of a server, and those that applications registered. */
import type { EventWebhooks, MailEvent, SmsEvent, SmsEvents } from "../../providers/callbacks.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import { settingsOf } from "./target-settings.ts";

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
