import { decodeBytes } from "./body-content.ts";
import type { PartContent } from "./part.ts";

/** Bytes at the start of a document in which it may declare its charset (HTML standard, §13.2.3.2). */
export const prescanBytes = 1024;
/** Bytes of raw that contain {@link prescanBytes} in every transfer encoding: quoted-printable takes three per byte. */
const encodedBytes = 3 * prescanBytes;

const comments = /<!--.*?(?:-->|$)/gs;
const metaCharset = /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]{1,64})/i;

/**
 * Returns the charset that an HTML part declares in a `meta` element (HTML standard, §13.2.3.2), in lower case; null
 * without one. It is used if Content-Type has no charset. A declaration of UTF-16 means UTF-8, as in the standard.
 */
export function declaredHtmlCharset(raw: Uint8Array, part: PartContent): string | null {
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + encodedBytes);
  const start = decodeBytes(raw, { ...part, bodyEnd }).subarray(0, prescanBytes);
  const charset = metaCharset.exec(Buffer.from(start).toString("latin1").replaceAll(comments, ""))?.[1]?.toLowerCase();
  if (charset === undefined) return null;
  return charset.startsWith("utf-16") ? "utf-8" : charset;
}
