/** Patterns of addresses whose mail an inbound route hands over. */
import { invalidField } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { parseSingleAddress } from "../../egress/policy.ts";

/** Returns a pattern in lower case; throws a 400 on `pattern` unless it is one address or `*@domain`. */
export function readPattern(pattern: string | undefined): string {
  if (pattern === undefined) throw invalidField("pattern", "Give an address, or *@ and a domain", "required");
  const isDomain = pattern.startsWith("*@");
  const parsed = parseSingleAddress(isDomain ? `any${pattern.slice(1)}` : pattern);
  if (parsed.problem === undefined && (isDomain || !parsed.localPart.includes("*"))) return pattern.toLowerCase();
  throw invalidField("pattern", "Must be one address, such as support@app.example, or *@app.example");
}

/**
 * Returns whether the domain of a pattern is that of another server of the service, which may exist or not: a server id
 * before the mail domain.
 */
export function isOfOtherServer(
  pattern: string,
  { server, mailDomain }: { readonly server: ServerId; readonly mailDomain: string },
): boolean {
  const domain = pattern.slice(pattern.lastIndexOf("@") + 1);
  return domain.endsWith(`.${mailDomain}`) && domain.split(".", 1)[0] !== server;
}
