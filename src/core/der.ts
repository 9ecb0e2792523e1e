/** Encoder for ASN.1 in the Distinguished Encoding Rules (ITU-T X.690), limited to the types in certificates and their stores. */

/** Encoded value: tag, length, content. */
export type Der = Buffer;

/** Encodes a value with a tag. */
function tagged(tag: number, ...content: readonly Uint8Array[]): Der {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOctets(body.length), body]);
}

/** Encodes a SEQUENCE. */
export function sequence(...members: readonly Der[]): Der {
  return tagged(0x30, ...members);
}

/** Encodes a SET OF members, which the caller has sorted by their encoding. */
export function setOf(...members: readonly Der[]): Der {
  return tagged(0x31, ...members);
}

/** Encodes values within an explicit context-specific tag `[number]`. */
export function explicit(number: number, ...members: readonly Der[]): Der {
  return tagged(0xa0 + number, ...members);
}

/** Encodes a primitive value with an implicit context-specific tag `[number]`. */
export function implicit(number: number, content: Uint8Array): Der {
  return tagged(0x80 + number, content);
}

/** Encodes an unsigned big-endian number of at least one byte as INTEGER. */
export function unsignedInteger(bytes: Uint8Array): Der {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const shortest = bytes.subarray(start);
  const isNegative = (shortest[0] ?? 0) > 0x7f;
  return tagged(0x02, isNegative ? Buffer.of(0) : Buffer.alloc(0), shortest);
}

/** Encodes BOOLEAN true; false is the default everywhere in certificates and omitted. */
export function yes(): Der {
  return tagged(0x01, Buffer.of(0xff));
}

/** Encodes NULL. */
export function nothing(): Der {
  return tagged(0x05);
}

/** Encodes an OBJECT IDENTIFIER in dotted form, of at least two arcs, each below 2^28. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...arcs] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...arcs].flatMap(base128)));
}

/** Encodes a BIT STRING without its last `unusedBits`. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Der {
  return tagged(0x03, Buffer.of(unusedBits), bytes);
}

/** Encodes an OCTET STRING. */
export function octetString(bytes: Uint8Array): Der {
  return tagged(0x04, bytes);
}

/** Encodes a UTF8String. */
export function utf8String(text: string): Der {
  return tagged(0x0c, Buffer.from(text));
}

/** Encodes a BMPString of characters in the Basic Multilingual Plane. */
export function bmpString(text: string): Der {
  return tagged(0x1e, Buffer.from(text, "utf16le").swap16());
}

/** Encodes a time, truncated to seconds: UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
export function time(ms: number): Der {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/\D/g, "")}Z`;
  return digits < "2050" ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const octets = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.of(0x80 + octets.length, ...octets);
}

function base128(arc: number): number[] {
  const octets = [arc & 0x7f];
  for (let rest = arc >>> 7; rest > 0; rest >>>= 7) octets.unshift((rest & 0x7f) | 0x80);
  return octets;
}
