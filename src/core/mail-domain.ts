/** Mail domains of a service that has no domain of its own. */

/**
 * Default of the service mail domain. Address validators accept it, and no mail to it can leave: IANA reserves all names below
 * `example.com` (RFC 6761 §6.5) and publishes no records for them.
 */
export const mailDomainDefault = "restante.example.com";

/** Returns whether a domain in lower case is the default or below it; its mail is never relayed. */
export function isReservedMailDomain(domain: string): boolean {
  return domain === mailDomainDefault || domain.endsWith(`.${mailDomainDefault}`);
}
