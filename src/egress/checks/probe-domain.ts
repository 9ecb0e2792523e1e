import type { Clock } from "../../core/clock.ts";
import { requestWithin } from "../limited-request.ts";

/** Time-out of a policy, and the size that senders accept (RFC 8461 §3.3). */
const policyBounds = { msMax: 10_000, bytesMax: 64 * 1024 } as const;

/** Policy to fetch. */
export interface ServedPolicy {
  readonly url: string;
  /** Address of the host of the URL. */
  readonly address: string;
  /** Trusted certificates in PEM, which replace the public roots; null, by default: the public roots. */
  readonly ca?: string | null;
}

/** Returns the text at an HTTPS URL, as senders of mail read MTA-STS policies: without following redirects. Rejects with the reason. */
export async function fetchPolicy(
  { url, address, ca = null }: ServedPolicy,
  clock: Pick<Clock, "after">,
): Promise<string> {
  const { status, body } = await requestWithin(new URL(url), { method: "GET", address, ca, ...policyBounds }, clock);
  if (status !== 200) throw new Error(`the status is ${String(status)}, not 200`);
  return body.toString("utf8");
}
