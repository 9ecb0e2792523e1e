import type { Clock } from "../../core/clock.ts";
import { requestWithin } from "../limited-request.ts";

/** Time-out of a policy, and the size that senders accept (RFC 8461 §3.3). */
const policyBounds = { msMax: 10_000, bytesMax: 64 * 1024 } as const;

/**
 * Returns the text at an HTTPS URL, as senders of mail read MTA-STS policies: without following redirects. Rejects with the reason.
 * `ca` are trusted certificates in PEM, which replace the public roots.
 */
export async function fetchPolicy(url: string, clock: Pick<Clock, "after">, ca: string | null = null): Promise<string> {
  const { status, body } = await requestWithin(new URL(url), { method: "GET", ca, ...policyBounds }, clock);
  if (status !== 200) throw new Error(`the status is ${String(status)}, not 200`);
  return body.toString("utf8");
}
