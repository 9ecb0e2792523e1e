const lengthMax = 200;
const plainName = /^[\w !#$&+.^`~()-]+$/;

/**
 * Returns `Content-Disposition: attachment` with a name (RFC 6266), also in UTF-8 when it is not plain ASCII (RFC
 * 8187). Control characters and path separators become `_`; a name is cut at 200 characters.
 */
export function attachmentDisposition(fileName: string): string {
  const name = Array.from(fileName.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, "_"))
    .slice(0, lengthMax)
    .join("");
  if (name === "") return "attachment";
  if (plainName.test(name)) return `attachment; filename="${name}"`;
  const ascii = name.replaceAll(/[^\w !#$&+.^`~()-]/g, "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtended(name)}`;
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
