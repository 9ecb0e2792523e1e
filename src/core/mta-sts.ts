/** MTA-STS policy (RFC 8461): mail servers that read it deliver only over TLS with a valid certificate. */
import { createHash } from "node:crypto";

/** Modes of a policy (RFC 8461 §5): `testing` only reports failures, `enforce` refuses to deliver. */
export const mtaStsModes = ["testing", "enforce"] as const;

/** Mode of a policy. */
export type MtaStsMode = (typeof mtaStsModes)[number];

/** Policy of a mail domain. */
export interface MtaStsPolicy {
  /** Host that serves the policy (RFC 8461 §3.3): `mta-sts.` and the mail domain. */
  readonly host: string;
  /** Text of the policy, with CRLF line ends. */
  readonly text: string;
  /** Value of `id` in the TXT record (RFC 8461 §3.1), which differs for each text. */
  readonly id: string;
}

/**
 * Returns whether a host, in lower case, serves the policy: that of its domain, or of a domain below. A policy holds for its own domain
 * only (RFC 8461 §1.1), so senders to the domain of a server ask `mta-sts.` and that domain; the text is the same.
 */
export function isPolicyHost(name: string, { host }: Pick<MtaStsPolicy, "host">): boolean {
  return name === host || (name.startsWith("mta-sts.") && name.endsWith(host.slice("mta-sts".length)));
}

/** Path at which the policy is served. */
export const mtaStsPath = "/.well-known/mta-sts.txt";

/** Time in seconds for which senders keep a policy: short for one that is tried out, since they cannot be told to forget it. */
const maxAgeSeconds = { testing: 86_400, enforce: 1_209_600 } as const;

/** Returns the policy that names `mx` as the only mail host of a domain. */
export function mtaStsPolicy(domain: string, mx: string, mode: MtaStsMode): MtaStsPolicy {
  const lines = ["version: STSv1", `mode: ${mode}`, `mx: ${mx}`, `max_age: ${String(maxAgeSeconds[mode])}`];
  const text = lines.map((line) => `${line}\r\n`).join("");
  const id = createHash("sha256").update(text).digest("hex").slice(0, 20);
  return { host: `mta-sts.${domain}`, text, id };
}
