/** Recipients whose fate a provider documents. */
import type { EventDetails, EventWebhooks, MailEventType } from "./callbacks.ts";

/** Events of a local part, in order. */
export type TestAddressOutcomes = Readonly<
  Record<string, readonly { readonly type: MailEventType; readonly details?: EventDetails }[]>
>;

/**
 * Returns the events of a test address of a domain, whose local part may have a label (`bounced+order-1@resend.dev`);
 * undefined for other recipients. Letter case does not matter.
 */
export function outcomeOfTestAddress(
  recipient: string,
  domain: string,
  outcomes: TestAddressOutcomes,
): ReturnType<NonNullable<EventWebhooks["outcomeOf"]>> {
  const address = recipient.toLowerCase();
  if (!address.endsWith(`@${domain}`)) return undefined;
  const name = address.slice(0, -domain.length - 1).split("+")[0] ?? "";
  if (!Object.hasOwn(outcomes, name)) return undefined;
  return outcomes[name]?.map(({ type, details = {} }) => ({ type, details }));
}
