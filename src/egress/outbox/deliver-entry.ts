import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import type { SmtpRelay } from "../relay/smtp-relay.ts";

/** Dependencies of {@link deliverEntry}. */
export interface DeliveryDependencies {
  readonly store: Pick<Store, "getRaw">;
  /** Null where no relay is configured. */
  readonly relay: Pick<SmtpRelay, "deliver"> | null;
  /** Returns whether mail may be sent to the address; called at each attempt. */
  readonly isAllowed: (address: string) => Promise<boolean>;
  /** Returns whether the address waits for the confirmation of its owner; called at each attempt. */
  readonly isPending: (address: string) => Promise<boolean>;
  /** Delivers the SMS of an entry. */
  readonly deliverSms: (entry: OutboxEntry) => Promise<void>;
}

/** Delivers an entry by its route; rejects with {@link DeliveryFailure}. */
export async function deliverEntry(dependencies: DeliveryDependencies, entry: OutboxEntry): Promise<void> {
  if (entry.route === "relay") await relayEntry(dependencies, entry);
  else if (entry.route === "hook") await dependencies.deliverSms(entry);
  else throw refusal("Internal messages are not delivered by the outbox");
}

/** Entries without a message are confirmation mails for pending addresses. */
async function relayEntry(
  dependencies: DeliveryDependencies,
  { message, content, mailFrom, rcptTo }: OutboxEntry,
): Promise<void> {
  if (dependencies.relay === null) throw unconfigured();
  for (const address of rcptTo) {
    if (message === null) {
      if (!(await dependencies.isPending(address))) throw refusal("The address was removed or verified");
    } else if (!(await dependencies.isAllowed(address))) throw refusal("The address is no longer verified");
  }
  const raw = content ?? (message === null ? undefined : await dependencies.store.getRaw(message));
  if (raw === undefined) throw refusal("The message was deleted before it was sent");
  const { refused } = await dependencies.relay.deliver({ mailFrom, rcptTo, raw });
  const [first] = refused;
  if (first !== undefined) throw first.failure;
}

function refusal(text: string): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isLocalRefusal: true });
}

function unconfigured(): DeliveryFailure {
  const evidence = { stage: "connect", replyCode: null, isLocalRefusal: false } as const;
  return new DeliveryFailure("RESTANTE_RELAY_URL is not set", evidence);
}
