/** Mail domains of a service that has no domain of its own. */

/**
 * Default of the service mail domain. Address validators accept it, and no mail to it can leave: IANA reserves all names below
 * `example.com` (RFC 6761 §6.5) and publishes no records for them.
 */
export const mailDomainDefault = "restante.example.com";

/** Default of earlier versions, which is still one of the names of a service. */
export const mailDomainOfEarlierVersions = "restante.test";

const reserved = [mailDomainDefault, mailDomainOfEarlierVersions];

/** Returns whether a domain in lower case is below one of the reserved mail domains, whose mail is never relayed. */
export function isReservedMailDomain(domain: string): boolean {
  return reserved.some((one) => domain === one || domain.endsWith(`.${one}`));
}
