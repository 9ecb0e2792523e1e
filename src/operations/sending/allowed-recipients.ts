/** Allowed recipients: the policy applied to verified addresses and own servers. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import type { ServerId } from "../../core/ids.ts";
import { type AddressProblem, compileAllowed, parseSingleAddress, type Route, routeOf } from "../../egress/policy.ts";
import type { Context } from "../context.ts";
import { matchesPattern } from "../../core/mail-addresses.ts";
import { settingsOf } from "../callbacks/target-settings.ts";
import { serversOf } from "../services/security/access.ts";
import { findOwnServer } from "../inbound/resolve-recipient.ts";

/** Recipient, and the field of the request that contains it. */
export interface Recipient {
  readonly field: string;
  /** Address in the normalised form of the policy. */
  readonly address: string;
}

/** Allowed recipient with its route. */
export type RoutedRecipient = Recipient & Exclude<Destination, { readonly route: "refused" }>;

/** Route of mail to an address. */
type Destination =
  | { readonly route: "inside"; readonly server: ServerId }
  | { readonly route: "relay" }
  /** Handed to the application by an inbound route of the sending server. */
  | { readonly route: "inbound" }
  | { readonly route: "refused" };

const reasons: Readonly<Record<AddressProblem, string>> = {
  empty: "Give an address",
  too_long: "Addresses have at most 254 characters, 64 of them before the @",
  not_ascii: "Must be ASCII; write internationalised domains as xn--…",
  forbidden_character: "Must be one plain address, without blanks, line ends and other controls",
  not_one_address: "Must be exactly one address, such as someone@example.com",
  invalid_local_part: "Must have a plain local part, without quotes, % and !",
  invalid_domain: "Must have a plain domain, such as example.com",
};

/** Returns the plain address of a field; throws a 400 that names the field. */
export function readAddress(field: string, text: string): string {
  const parsed = parseSingleAddress(text);
  if (parsed.problem !== undefined) throw invalidField(field, reasons[parsed.problem], "invalid_address");
  return parsed.address;
}

/** Recipients of a mail that a server sends. */
export interface SentRecipients {
  readonly server: ServerId;
  readonly recipients: readonly Recipient[];
}

/**
 * Returns the route of each recipient; rejects with a 400 that names every field whose address is not allowed. An address
 * that matches an inbound route of the server is allowed: its mail does not leave. For a restricted principal no other server exists, so mail to another is rejected whether it exists or not.
 */
export async function routeRecipients(
  context: Context,
  principal: Pick<Principal, "server">,
  { server, recipients }: SentRecipients,
): Promise<readonly RoutedRecipient[]> {
  const errors = new FieldCollector();
  const routed: RoutedRecipient[] = [];
  const patterns = await inboundPatterns(context, server);
  const visible = serversOf(principal);
  for (const recipient of recipients) {
    const found = await findDestination(context, recipient.address, visible);
    const isInbound = found.route !== "inside" && patterns.some((one) => matchesPattern(one, recipient.address));
    const destination: Destination = isInbound ? { route: "inbound" } : found;
    if (destination.route === "refused") {
      const description = "Mail may only go to verified addresses and to own servers";
      errors.add({ field: recipient.field, description, code: "not_verified" });
    } else if (destination.route === "relay" && !context.settings.hasRelay) {
      const description = "Mail cannot leave: RESTANTE_RELAY_URL is not set";
      errors.add({ field: recipient.field, description, code: "no_relay" });
    } else routed.push({ ...recipient, ...destination });
  }
  errors.finish();
  return routed;
}

async function inboundPatterns({ store }: Context, server: ServerId): Promise<readonly string[]> {
  const targets = await store.callbacks.listTargets(server, "inbound");
  return targets.flatMap((target) => (target.state === "disabled" ? [] : [settingsOf("inbound", target).pattern]));
}

/** Returns the policy's decision on the exact text after RCPT TO. */
export async function findRoute(context: Context, address: string): Promise<Route> {
  const { route } = await findDestination(context, address, null);
  return route === "inbound" ? "refused" : route;
}

/** Returns the destination of an address. `visible` are the servers that the caller can access; null for all. */
async function findDestination(
  context: Context,
  address: string,
  visible: readonly ServerId[] | null,
): Promise<Destination> {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const server = await findOwnServer(context, domain, visible);
  const found = await context.store.verifiedAddresses.findVerifiedAddress(address);
  const confirmed = found?.status === "Verified" ? [found.address] : [];
  const ownDomains = server === undefined ? [] : [domain];
  const route = routeOf(address, compileAllowed([...context.settings.verified, ...confirmed], ownDomains).allowed);
  if (route !== "inside") return { route };
  return server === undefined ? { route: "refused" } : { route, server };
}
