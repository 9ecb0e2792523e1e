/** Bytes of inline images of one page; further ones are not shown. */
export const inlineBytesMax: number = 8 * 1024 * 1024;
/** References to inline images of one page. */
const referenceCountMax = 1000;

/**
 * Replaces references to inline images in attributes by addresses, which are found by lower-case Content-IDs, up to a number and a sum
 * of bytes.
 */
export function linkImages(html: string, addresses: ReadonlyMap<string, string>): string {
  let count = 0;
  let length = 0;
  return html.replaceAll(/(=\s?["']?)cid:([^"'\s>]{1,400})/gi, (written, before: string, id: string) => {
    const address = addresses.get(id.replaceAll("&amp;", "&").toLowerCase());
    if (address === undefined || count >= referenceCountMax || length > 2 * inlineBytesMax) return written;
    count += 1;
    length += address.length;
    return before + address;
  });
}
