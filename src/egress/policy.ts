/**
 * Policy for recipients of outbound mail. An address is parsed once, strictly; the result is compared, stored and written
 * after RCPT TO, so that no other parser can read it differently.
 */
import { domainToASCII } from "node:url";
import { isReservedMailDomain } from "../core/mail-addresses.ts";

/** Reason why a text is not a single address. */
export type AddressProblem =
  | "empty"
  | "too_long"
  | "not_ascii"
  | "forbidden_character"
  | "not_one_address"
  | "invalid_local_part"
  | "invalid_domain";

/** Parsed address, or the reason why there is none. */
export type ParsedAddress =
  | { readonly address: string; readonly localPart: string; readonly domain: string; readonly problem?: undefined }
  | { readonly address?: undefined; readonly problem: AddressProblem };

/** RFC 5321 §4.5.3.1: local part, domain, path without its brackets. */
const localPartLengthMax = 64;
const domainLengthMax = 253;
const addressLengthMax = 254;
/** atext of RFC 5322 §3.2.3 without `%` and `!`, which old relays interpreted as routes. */
const atom = "[A-Za-z0-9#$&'*+/=?^_`{|}~-]+";
const localPartPattern = new RegExp(`^${atom}(?:\\.${atom})*$`);
/** RFC 1123 §2.1. */
const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const addressCharacters = /^[!-~]+$/;

/**
 * Parses exactly one plain address, `localpart@domain` (RFC 5321 §4.1.2), in linear time. Rejects display names, brackets,
 * comments, groups, routes, quoted local parts, domain literals, white space and trailing dots: each of these forms has
 * misdirected mail somewhere, and each field of the interface holds one address. Rejects `%` and `!` routing. Rejects
 * everything outside ASCII, so that no look-alike is mapped to another name; internationalised domains are written in
 * their ASCII form (`xn--…`, RFC 5891). Rejects domains that a URL parser would rewrite (`1.2.3`, `0x7f.1`), since a relay
 * library may use one. Returns the domain in lower case and the local part as given (RFC 5321 §2.4).
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

/** Returns whether a text in lower case is a host name that can receive mail and that no library rewrites. */
export function isMailDomain(domain: string): boolean {
  if (domain === "" || domain.length > domainLengthMax) return false;
  return domain.split(".").every((label) => labelPattern.test(label)) && domainToASCII(domain) === domain;
}

/** Allowed recipients, as {@link compileAllowed} returns them. */
export interface AllowedRecipients {
  /** Addresses verified by their owner or by the operator, in the form of {@link comparable}. */
  readonly addresses: ReadonlySet<string>;
  /** Domains verified by the operator, without subdomains. */
  readonly domains: ReadonlySet<string>;
  /** Domains of the account's servers, `<server>.<mail domain>`. */
  readonly ownDomains: ReadonlySet<string>;
}

/** Invalid entry of the list of verified addresses and domains. */
export interface RefusedEntry {
  readonly entry: string;
  readonly problem: AddressProblem;
}

/**
 * Parses verified addresses (`alice@corp.example`), verified domains (`@corp.example`) and the domains of own servers.
 * Returns invalid entries separately; they allow nothing.
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

/** Route of an address: to an own server, by the relay, or refused. */
export type Route = "inside" | "relay" | "refused";

/**
 * Returns the route for the exact text that is written after RCPT TO. Refuses a text that is not in the form of
 * {@link parseSingleAddress}, so that a missing call of the parser cannot allow anything. Addresses of a reserved mail domain
 * are inside or refused, whatever is verified.
 */
export function routeOf(address: string, allowed: AllowedRecipients): Route {
  const parsed = parseSingleAddress(address);
  if (parsed.problem !== undefined || parsed.address !== address) return "refused";
  if (allowed.ownDomains.has(parsed.domain)) return "inside";
  if (isReservedMailDomain(parsed.domain)) return "refused";
  const isVerified = allowed.addresses.has(comparable(address)) || allowed.domains.has(parsed.domain);
  return isVerified ? "relay" : "refused";
}

/** Returns whether mail may be sent to the address. */
export function isAllowed(address: string, allowed: AllowedRecipients): boolean {
  return routeOf(address, allowed) !== "refused";
}

/** Returns the address for comparison, without regard to letter case (RFC 5321 §2.4). */
function comparable(address: string): string {
  return address.toLowerCase();
}
