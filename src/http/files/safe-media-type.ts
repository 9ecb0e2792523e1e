/**
 * Media types that no browser executes or renders with scripts. Any other type is sent as `application/octet-stream`,
 * including HTML, SVG, XML and scripts.
 */
const safeTypes = new Set([
  "application/gzip",
  "application/json",
  "application/msword",
  "application/pdf",
  "application/pgp-encrypted",
  "application/pgp-signature",
  "application/pkcs7-mime",
  "application/pkcs7-signature",
  "application/rtf",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/x-tar",
  "application/zip",
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/heic",
  "image/jpeg",
  "image/jpg",
  "image/png",
  "image/tiff",
  "image/vnd.microsoft.icon",
  "image/webp",
  "image/x-icon",
  "message/rfc822",
  "text/calendar",
  "text/csv",
  "text/plain",
  "text/vcard",
]);
const safeFamilies =
  /^(?:audio\/[\w.-]+|video\/[\w.-]+|font\/[\w.-]+|application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+)$/;
const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i;

/**
 * Returns the Content-Type to send for a declared one: itself when it is known to be harmless, with the charset of
 * text.
 */
export function safeMediaType(declared: string): string {
  const essence = (declared.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (!safeTypes.has(essence) && !safeFamilies.test(essence)) return "application/octet-stream";
  const named = essence.startsWith("text/") ? charset.exec(declared)?.[1] : undefined;
  return named === undefined ? essence : `${essence}; charset=${named}`;
}
