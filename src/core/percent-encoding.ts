/** Decodes percent-encoding (RFC 3986 §2.1) in UTF-8; a text with invalid encoding is taken literally. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid percent-encoding, which addresses of others may contain.
    return text;
  }
}
