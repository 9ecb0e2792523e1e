/**
 * Where mail may go. An address is read once, strictly, and the text that comes out is the one that is compared, stored
 * and written after RCPT TO: no second parser ever sees another form of it.
 */
import { domainToASCII } from "node:url";

/** Why a text is not one address. */
export type AddressProblem =
  | "empty"
  | "too_long"
  | "not_ascii"
  | "forbidden_character"
  | "not_one_address"
  | "invalid_local_part"
  | "invalid_domain";

/** One address, or why there is none. */
export type ParsedAddress =
  | { readonly address: string; readonly localPart: string; readonly domain: string; readonly problem?: undefined }
  | { readonly address?: undefined; readonly problem: AddressProblem };

/** RFC 5321 §4.5.3.1: local part, domain, path without its brackets. */
const localPartLengthMax = 64;
const domainLengthMax = 253;
const addressLengthMax = 254;
/** atext of RFC 5322 §3.2.3 without `%` and `!`, which relays of old took for routes. */
const atom = "[A-Za-z0-9#$&'*+/=?^_`{|}~-]+";
const localPartPattern = new RegExp(`^${atom}(?:\\.${atom})*$`);
/** RFC 1123 §2.1. */
const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const addressCharacters = /^[!-~]+$/;

/**
 * Reads exactly one plain address, `localpart@domain` (RFC 5321 §4.1.2), in time linear in its length. There is no
 * display name, bracket, comment, group, route, quoted local part, domain literal, white space or trailing dot: the
 * interface has one field for one address, and each of those forms has sent mail astray somewhere. `%` and `!` routing
 * is refused. Nothing outside ASCII is taken, so that no look-alike is mapped to another name behind our back; an
 * internationalised domain is written in its ASCII form (`xn--…`, RFC 5891), where a look-alike is another text. A
 * domain that a URL parser would rewrite (`1.2.3`, `0x7f.1`) is refused, for a relay library may use one. The domain
 * comes out in lower case, the local part as given (RFC 5321 §2.4).
 */
export function parseSingleAddress(text: string): ParsedAddress {
  if (text === "") return { problem: "empty" };
  if (text.length > addressLengthMax) return { problem: "too_long" };
  if (/[^\p{ASCII}]/u.test(text)) return { problem: "not_ascii" };
  if (!addressCharacters.test(text)) return { problem: "forbidden_character" };
  const [localPart = "", domainText, ...more] = text.split("@");
  if (domainText === undefined || more.length > 0) return { problem: "not_one_address" };
  if (localPart.length > localPartLengthMax || !localPartPattern.test(localPart)) {
    return { problem: "invalid_local_part" };
  }
  const domain = domainText.toLowerCase();
  if (!isMailDomain(domain)) return { problem: "invalid_domain" };
  return { address: `${localPart}@${domain}`, localPart, domain };
}

/** Whether the text, in lower case, is a host name that mail can be for and that no library rewrites. */
export function isMailDomain(domain: string): boolean {
  if (domain === "" || domain.length > domainLengthMax) return false;
  return domain.split(".").every((label) => labelPattern.test(label)) && domainToASCII(domain) === domain;
}

/** Who may be written to. Everything in it has been through {@link compileAllowed}. */
export interface AllowedRecipients {
  /** Addresses whose owner, or the operator, verified them; in the form that {@link comparable} gives. */
  readonly addresses: ReadonlySet<string>;
  /** Domains that the operator verified as a whole; exactly these, no subdomain. */
  readonly domains: ReadonlySet<string>;
  /** Domains of the account's own servers, `<server>.<mail domain>`. */
  readonly ownDomains: ReadonlySet<string>;
}

/** An entry of the list of verified addresses and domains that is neither. */
export interface RefusedEntry {
  readonly entry: string;
  readonly problem: AddressProblem;
}

/**
 * Reads verified addresses (`alice@corp.example`), verified domains (`@corp.example`) and the domains of own servers.
 * Entries that are none of these are reported and allow nothing.
 */
export function compileAllowed(
  verified: Iterable<string>,
  ownDomains: Iterable<string>,
): { readonly allowed: AllowedRecipients; readonly refused: readonly RefusedEntry[] } {
  const allowed = { addresses: new Set<string>(), domains: new Set<string>(), ownDomains: new Set<string>() };
  const refused: RefusedEntry[] = [];
  for (const entry of verified) {
    const parsed = parseSingleAddress(entry.startsWith("@") ? `any${entry}` : entry);
    if (parsed.problem !== undefined) refused.push({ entry, problem: parsed.problem });
    else if (entry.startsWith("@")) allowed.domains.add(parsed.domain);
    else allowed.addresses.add(comparable(parsed.address));
  }
  for (const domain of ownDomains) {
    if (isMailDomain(domain.toLowerCase())) allowed.ownDomains.add(domain.toLowerCase());
    else refused.push({ entry: domain, problem: "invalid_domain" });
  }
  return { allowed, refused };
}

/** Where an address is delivered: in a server of ours, by a relay, or nowhere. */
export type Route = "inside" | "relay" | "refused";

/**
 * Decides about the exact text that will stand after RCPT TO. A text that is not in the form that
 * {@link parseSingleAddress} gives is refused, so that forgetting to parse cannot open a way.
 */
export function routeOf(address: string, allowed: AllowedRecipients): Route {
  const parsed = parseSingleAddress(address);
  if (parsed.problem !== undefined || parsed.address !== address) return "refused";
  if (allowed.ownDomains.has(parsed.domain)) return "inside";
  const isVerified = allowed.addresses.has(comparable(address)) || allowed.domains.has(parsed.domain);
  return isVerified ? "relay" : "refused";
}

/** Whether mail may go to the address at all. */
export function isAllowed(address: string, allowed: AllowedRecipients): boolean {
  return routeOf(address, allowed) !== "refused";
}

/** Two spellings of one mailbox compare equal: hosts that tell letter case apart are none to rely on (RFC 5321 §2.4). */
function comparable(address: string): string {
  return address.toLowerCase();
}
