import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import type { SmtpRelay } from "../relay/smtp-relay.ts";

/** The ways out. */
export interface WaysOut {
  readonly store: Pick<Store, "getRaw">;
  /** Null where no relay is configured. */
  readonly relay: Pick<SmtpRelay, "deliver"> | null;
  /** Whether mail may go to the address now; asked again at each attempt. */
  readonly isAllowed: (address: string) => Promise<boolean>;
  /** Whether the owner of the address is still to be asked; asked again at each attempt. */
  readonly isPending: (address: string) => Promise<boolean>;
  /** Delivers the SMS of an entry by its content. */
  readonly deliverSms: (content: Uint8Array) => Promise<void>;
}

/** Hands an entry on by its route; rejects with {@link DeliveryFailure}. */
export async function deliverEntry(ways: WaysOut, entry: OutboxEntry): Promise<void> {
  if (entry.route === "relay") await relayEntry(ways, entry);
  else if (entry.route === "hook") await ways.deliverSms(entry.content ?? new Uint8Array());
  else throw refusal("What stays inside never waits to leave");
}

/** Only the mail that asks the owner of a pending address belongs to no message. */
async function relayEntry(ways: WaysOut, { message, content, mailFrom, rcptTo }: OutboxEntry): Promise<void> {
  if (ways.relay === null) throw unconfigured();
  for (const address of rcptTo) {
    if (message === null) {
      if (!(await ways.isPending(address))) throw refusal("The address was removed or verified");
    } else if (!(await ways.isAllowed(address))) throw refusal("The address is no longer verified");
  }
  const raw = content ?? (message === null ? undefined : await ways.store.getRaw(message));
  if (raw === undefined) throw refusal("The message was deleted before it left");
  const { refused } = await ways.relay.deliver({ mailFrom, rcptTo, raw });
  const [first] = refused;
  if (first !== undefined) throw first.failure;
}

function refusal(text: string): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isOurRefusal: true });
}

function unconfigured(): DeliveryFailure {
  const evidence = { stage: "connect", replyCode: null, isOurRefusal: false } as const;
  return new DeliveryFailure("RESTANTE_RELAY_URL is not set", evidence);
}
