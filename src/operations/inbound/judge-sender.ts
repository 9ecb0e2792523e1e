import type { Arrival, SenderVerdicts } from "../../core/smtp-session.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { dnsOf } from "../services/inspection/dns-of.ts";

/** Time for all DNS queries about one mail; the client waits meanwhile. */
const dnsMsMax = 5000;

const unknown: SenderVerdicts = { spf: "unknown", dkim: "unknown", dmarc: "unknown" };

/**
 * Returns an arrival with the verdicts on its sender, by the zone of the first recipient's server or by DNS; as it is for clients
 * with AUTH, and where DNS is off. What cannot be judged in time is `unknown`: no mail is deferred for that.
 */
export async function judgeSender(context: Context, arrival: Arrival): Promise<Arrival> {
  const { session, mailFrom, raw, recipients } = arrival;
  const server = recipients[0]?.server;
  if (session.auth !== undefined || server === undefined) return arrival;
  const dns = await dnsOf(context, server);
  if (dns.kind === "off") return arrival;
  const origin = { clientAddress: session.clientAddress, ehlo: session.ehlo, mailFrom };
  const inspection = { kind: "verdicts", origin, dns, deadlineMs: dnsMsMax } as const;
  const verdicts = await context.inspector
    .inspect(async () => raw, inspection, { key: server })
    .catch((error: unknown) => {
      // Too many mails wait, or this one is too expensive; the task of the inspector reports failures.
      if (error instanceof Problem) return unknown;
      throw error;
    });
  return { ...arrival, session: { ...session, verdicts } };
}
