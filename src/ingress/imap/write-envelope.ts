import type { Envelope, EnvelopeAddress } from "../../mime/structure/structure.ts";
import { imapString } from "./imap-string.ts";

/** Returns an envelope as the value of the FETCH item ENVELOPE (RFC 9051 §7.5.2). Literals count bytes of UTF-8. */
export function writeEnvelope(envelope: Envelope): string {
  const { date, subject, from, sender, replyTo, to, cc, bcc, inReplyTo, messageId } = envelope;
  const addresses = [from, sender, replyTo, to, cc, bcc].map(writeAddresses);
  return `(${[imapString(date), imapString(subject), ...addresses, imapString(inReplyTo), imapString(messageId)].join(" ")})`;
}

function writeAddresses(addresses: readonly EnvelopeAddress[]): string {
  return addresses.length === 0 ? "NIL" : `(${addresses.map(writeAddress).join("")})`;
}

/** Returns an address; a domain of NIL marks the start and the end of a group, so a missing domain is "". */
function writeAddress(address: EnvelopeAddress): string {
  if (address.kind === "groupEnd") return "(NIL NIL NIL NIL)";
  if (address.kind === "groupStart") return `(NIL NIL ${imapString(address.name)} NIL)`;
  const { name, route, localPart, domain } = address;
  return `(${imapString(name === "" ? null : name)} ${imapString(route)} ${imapString(localPart)} ${imapString(domain)})`;
}
