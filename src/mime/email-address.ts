import { defaultLimits } from "../core/limits.ts";
import { readHeaderSection } from "./header-section.ts";
import { openSource } from "./source.ts";

/** Email address, split; letter case as written. */
export interface EmailAddress {
  /** With its quotes if it is a quoted string. */
  readonly localPart: string;
  /** Host name, or an address literal with its brackets. */
  readonly domain: string;
}

/** Octets of a local part and of an address (RFC 5321 §4.5.3.1); a path of 256 includes its angle brackets. */
const localPartBytesMax = 64;
const addressBytesMax = 254;
const labelLengthMax = 63;

const dotString = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
const quotedString = /^"(?:[^"\\\p{Cc}]|\\[ -~])*"$/u;
const label = /^[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}_])?$/u;
const addressLiteral = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[0-9a-f:.]{2,45})\]$/i;

/**
 * Parses `text` as exactly one mailbox of RFC 5321 §4.1.2 (with the characters of RFC 6531 §3.3): no name, brackets,
 * comment or route, no white space or control character outside of a quoted local part. Returns undefined for anything
 * else.
 */
export function parseEmailAddress(text: string): EmailAddress | undefined {
  if (Buffer.byteLength(text) > addressBytesMax || /\p{Cc}|[\u2028\u2029\ufeff]|\p{Cs}/u.test(text)) return undefined;
  const at = text.lastIndexOf("@");
  const localPart = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  const isLocalPart =
    Buffer.byteLength(localPart) <= localPartBytesMax && (dotString.test(localPart) || quotedString.test(localPart));
  return isLocalPart && isDomain(domain) && !/\s/u.test(localPart.startsWith('"') ? domain : text)
    ? { localPart, domain }
    : undefined;
}

function isDomain(domain: string): boolean {
  if (domain.startsWith("[")) return addressLiteral.test(domain);
  return domain.split(".").every((part) => part.length <= labelLengthMax && label.test(part));
}

/**
 * Returns a mail whose Message-ID field has this value, as mail providers set it; the field is added before the others where
 * there is none. `messageId` has its angle brackets. All other bytes are unchanged.
 */
export function withMessageId(raw: Uint8Array, messageId: string): Uint8Array {
  const source = openSource(raw, defaultLimits);
  const { fields } = readHeaderSection(source, 0, () => false);
  const field = fields.find(({ name }) => name.toLowerCase() === "message-id");
  if (field === undefined) return Buffer.concat([Buffer.from(`Message-ID: ${messageId}\r\n`), source.raw]);
  const { valueStart, valueEnd } = field;
  const value = Buffer.from(` ${messageId}`);
  return Buffer.concat([source.raw.subarray(0, valueStart), value, source.raw.subarray(valueEnd)]);
}
