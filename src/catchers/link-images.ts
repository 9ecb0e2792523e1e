import type { Replacement } from "./rewrite-text.ts";

/** Bytes of inline images of one page; further ones are not shown. */
export const inlineBytesMax: number = 8 * 1024 * 1024;
/** References to inline images of one page. */
const referenceCountMax = 1000;
const idBytesMax = 400;

/**
 * Returns the replacement of references to inline images in attributes by addresses, which are found by lower-case Content-IDs,
 * up to a number and a sum of bytes. It is for one page.
 */
export function linkImages(addresses: ReadonlyMap<string, string>): Replacement {
  let count = 0;
  let length = 0;
  return {
    pattern: /(=[\t\n\f\r ]?["']?)cid:([^"'\t\n\f\r >]{1,400})/gi,
    lengthMax: idBytesMax + 8,
    replace: ([written, before = "", id = ""]) => {
      const name = Buffer.from(id, "latin1").toString("utf8");
      const address = addresses.get(name.replaceAll("&amp;", "&").toLowerCase());
      if (address === undefined || count >= referenceCountMax || length > 2 * inlineBytesMax) return written;
      count += 1;
      length += address.length;
      return before + address;
    },
  };
}
