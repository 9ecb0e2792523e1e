/** Comparison of an occurrence with the rules of faults. */
import { createHash } from "node:crypto";
import { matchesPattern } from "./address-pattern.ts";
import { stagesOf, type FaultMatch, type FaultOccurrence, type FaultRule, type FaultStage } from "./fault.ts";
import type { ServerId } from "./ids.ts";
import { parseIpAddress } from "./ip-address.ts";
import { inNetworks, networkOf } from "./networks.ts";

/** Stages before RCPT, at which the server is known only by its credentials. */
const sessionStages: ReadonlySet<FaultStage> = new Set(["connect", "ehlo", "starttls", "auth", "mail"]);
/** Network of a client in a triple of greylisting. */
const greylistNetworks = { ipv4: 24, ipv6: 64 } as const;

/** Whether a stage is before RCPT. */
export function isSessionStage(stage: FaultStage): boolean {
  return sessionStages.has(stage);
}

/** Returns the servers that an occurrence concerns: those of its recipients, else that of its credentials. */
export function serversOf({ recipients, server }: Pick<FaultOccurrence, "recipients" | "server">): readonly ServerId[] {
  if (recipients.length > 0) return [...new Set(recipients.map((one) => one.server))];
  return server === null ? [] : [server];
}

/**
 * Returns whether a rule of a server, or of the service (null), matches an occurrence, and the recipient that did. Only
 * recipients of the server count. A rule of a server that the occurrence does not concern matches before RCPT, when it
 * names the address of the client and no network. Late delivery does not match a request that sends nothing.
 */
export function matchFault(
  rule: FaultRule,
  server: ServerId | null,
  occurrence: FaultOccurrence,
): { readonly recipient: string | null } | null {
  if (!stagesOf(rule).includes(occurrence.stage) || !concerns(rule, server, occurrence)) return null;
  if (!hasEffect(rule, occurrence) || !matchesSession(rule.match, occurrence)) return null;
  const { recipient } = rule.match;
  const own = occurrence.recipients.filter((one) => server === null || one.server === server);
  const found = own.find((one) => recipient === undefined || matchesPattern(recipient, one.address));
  return recipient !== undefined && found === undefined ? null : { recipient: found?.address ?? null };
}

/** Returns whether the effect of a rule is possible: TLS needs a handshake, and late delivery something that is stored. */
function hasEffect({ then }: FaultRule, { stage, recipients, isTlsHandshake }: FaultOccurrence): boolean {
  if (then.tls !== undefined && isTlsHandshake !== true) return false;
  return then.deliverAfterMs === undefined || stage !== "request" || recipients.length > 0;
}

/** Compares everything but stage and recipients. */
function matchesSession(match: FaultMatch, occurrence: FaultOccurrence): boolean {
  const { sender, clientAddress, provider, userName } = match;
  return (
    (sender === undefined || (occurrence.sender !== null && matchesPattern(sender, occurrence.sender))) &&
    (clientAddress === undefined || isInNetwork(clientAddress, occurrence.clientAddress)) &&
    (provider === undefined || provider === occurrence.provider) &&
    (userName === undefined || userName.toLowerCase() === occurrence.userName?.toLowerCase())
  );
}

function concerns({ match }: FaultRule, server: ServerId | null, occurrence: FaultOccurrence): boolean {
  if (server === null || serversOf(occurrence).includes(server)) return true;
  return isSessionStage(occurrence.stage) && match.clientAddress !== undefined && !match.clientAddress.includes("/");
}

function isInNetwork(network: string, address: string): boolean {
  const bytes = parseIpAddress(address);
  if (bytes === undefined) return false;
  return inNetworks([network])(bytes.length === 4 ? bytes.join(".") : address);
}

/** Returns the key of the triple of client network (/24, /64), sender and recipient. */
export function greylistKey({
  clientAddress,
  sender,
  recipients,
}: Pick<FaultOccurrence, "clientAddress" | "sender"> & {
  readonly recipients: readonly { readonly address: string }[];
}): string {
  const network = networkOf(clientAddress, greylistNetworks);
  const triple = [network, sender?.toLowerCase() ?? null, recipients[0]?.address.toLowerCase() ?? null];
  return createHash("sha256").update(JSON.stringify(triple)).digest("hex").slice(0, 32);
}
