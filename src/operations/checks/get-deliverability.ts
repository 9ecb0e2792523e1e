import type { DnsSource } from "../../authentication/dns.ts";
import type { CheckResult } from "../../authentication/mail-authentication.ts";
import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../messages/get-raw-message.ts";
import { judgeMail, type SpamAnalysis } from "./get-spam-analysis.ts";
import type { SenderInspection } from "../services/inspection/inspection.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Deliverability report of a mail. */
export interface DeliverabilityReport extends SenderInspection {
  readonly spam: SpamAnalysis & { readonly result: CheckResult };
  /** Source of the DNS answers. */
  readonly dns: DnsSource["kind"];
}

type Dependencies = Pick<Context, "store" | "settings" | "spamFilter" | "inspector">;

/** Time for all DNS queries in milliseconds; checks that have no answer by then are `Timeout`. */
const dnsMsMax = 5000;

/**
 * Checks a mail by its raw bytes and its SMTP session. The server's zone file, if it has one, replaces DNS. Rejects with
 * `not_found`, also for SMS.
 */
export async function getDeliverability(
  context: Dependencies & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<DeliverabilityReport> {
  const { receivedAt } = decodeMessageId(openMessageId(principal, idText));
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  const [{ sender, dns }, spam] = await Promise.all([
    checkSender(context, principal, idText),
    judgeMail(context, { load, receivedAt, caller: callerOf(principal, context) }),
  ]);
  return { ...sender, spam: { ...spam, result: spamResult(spam) }, dns };
}

/** Checks of the sender of a mail, and where it came from. */
export interface CheckedSender {
  readonly sender: SenderInspection;
  readonly dns: DnsSource["kind"];
  /** Whether the mail was received by SMTP, so that SPF could be checked. */
  readonly hasSession: boolean;
}

/** Checks the sender of a mail. Rejects with `not_found`, also for SMS. */
export async function checkSender(
  context: Pick<Context, "store" | "settings" | "inspector"> & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<CheckedSender> {
  const id = openMessageId(principal, idText);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  const { session, message } = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const dns = await dnsOf(context, decodeMessageId(id).server);
  const { mailFrom } = message.metadata;
  const { clientAddress = null, ehlo = null } = session ?? {};
  const origin = clientAddress === null || mailFrom === null ? null : { clientAddress, ehlo, mailFrom };
  const inspection = { kind: "sender", origin, dns, deadlineMs: dnsMsMax } as const;
  const sender = await context.inspector.inspect(load, inspection, callerOf(principal, context));
  return { sender, dns: dns.kind, hasSession: origin !== null };
}

/** Returns the zone file of a server, or the DNS of the service where it has none. */
export async function dnsOf(context: Pick<Context, "store" | "settings">, server: ServerId): Promise<DnsSource> {
  const zone = await context.store.getZone(server);
  return zone === undefined ? context.settings.dns : { kind: "fixtures", zone };
}

/** Returns `Warning` from three fifths of the threshold on. */
function spamResult({ score, threshold }: SpamAnalysis): CheckResult {
  if (score >= threshold) return "Fail";
  return score >= threshold * 0.6 ? "Warning" : "Pass";
}
