/** Mail domains of a service that has no domain of its own, and patterns of addresses. */

/**
 * Default of the service mail domain. Address validators accept it, and no mail to it can leave: IANA reserves all names below
 * `example.com` (RFC 6761 §6.5) and publishes no records for them.
 */
export const mailDomainDefault = "restante.example.com";

/** Returns whether a domain in lower case is the default or below it; its mail is never relayed. */
export function isReservedMailDomain(domain: string): boolean {
  return domain === mailDomainDefault || domain.endsWith(`.${mailDomainDefault}`);
}

/**
 * Returns whether an address matches a pattern in lower case, in which `*` stands for any characters, without regard to
 * letter case. Takes linear time.
 */
export function matchesPattern(pattern: string, address: string): boolean {
  const folded = address.toLowerCase();
  const [prefix = "", ...others] = pattern.split("*");
  const suffix = others.pop();
  if (suffix === undefined) return folded === pattern;
  if (!folded.startsWith(prefix)) return false;
  let at = prefix.length;
  for (const part of others) {
    const found = folded.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return folded.length - at >= suffix.length && folded.endsWith(suffix);
}
