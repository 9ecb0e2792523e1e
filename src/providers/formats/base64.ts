const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the bytes of padded base64 (RFC 4648 §4) without white space; null for anything else. */
export function decodeStrictBase64(text: string): Uint8Array | null {
  return text.length % 4 === 0 && alphabet.test(text) ? Buffer.from(text, "base64") : null;
}
