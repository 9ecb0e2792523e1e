import { safeImage, type SafeImage } from "../analysis/safe-image.ts";
import { decodePercent } from "../core/text-encodings.ts";
import { decodeBytes } from "../mime/body-content.ts";
import type { Part } from "../mime/part.ts";

/** Origin of a preview's page: a host name that never resolves (RFC 6761 §6.4). */
export const pageOrigin = "http://mail.invalid";
/** Address of images that are not shown; the page's policy blocks requests for it. */
export const blockedImageUrl: string = `${pageOrigin}/absent`;

const imageBytesMax = 32 * 1024 * 1024;
const imagePixelsMax = 80_000_000;
const writtenLengthMax = 4 * 1024 * 1024;

/** Images of one mail, each under an address of the page's own origin. */
export interface MailImages {
  /** Returns the address of the image that a mail names by `cid:` (RFC 2392) or contains as `data:` (RFC 2397). */
  readonly urlOf: (written: string) => string;
  /** Images by address, for the addresses that were requested. */
  readonly shown: ReadonlyMap<string, SafeImage>;
}

/**
 * Returns the images among a mail's parts that are safe to decode; together at most 32 MiB and 80 megapixels. `cid:`
 * and `data:` only: all other addresses are blocked.
 */
export function collectImages(raw: Uint8Array, root: Part): MailImages {
  const parts = partsByContentId(root);
  const shown = new Map<string, SafeImage>();
  const known = new Map<string, string>();
  let budget = { bytes: imageBytesMax, pixels: imagePixelsMax };

  const add = (bytes: Uint8Array | undefined): string => {
    const image = bytes === undefined || bytes.byteLength > budget.bytes ? undefined : safeImage(bytes);
    if (image === undefined || image.pixels > budget.pixels) return blockedImageUrl;
    budget = { bytes: budget.bytes - image.bytes.byteLength, pixels: budget.pixels - image.pixels };
    const url = `${pageOrigin}/part/${String(shown.size)}`;
    shown.set(url, image);
    return url;
  };
  const bytesOf = (written: string): Uint8Array | undefined => {
    if (written.length > writtenLengthMax) return undefined;
    const [, contentId] = /^cid:(.{1,400})$/is.exec(written) ?? [];
    const part = contentId === undefined ? undefined : (parts.get(decodePercent(contentId)) ?? parts.get(contentId));
    return part === undefined ? bytesOfDataUrl(written) : decodeBytes(raw, part);
  };
  return {
    shown,
    urlOf: (written) => {
      const url = known.get(written) ?? add(bytesOf(written));
      known.set(written, url);
      return url;
    },
  };
}

function partsByContentId(root: Part): ReadonlyMap<string, Part> {
  const found = new Map<string, Part>();
  const waiting = [root];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.contentId !== null) found.set(part.contentId, part);
    waiting.push(...part.children);
  }
  return found;
}

function bytesOfDataUrl(url: string): Uint8Array | undefined {
  const [, mark, content = ""] = /^data:image\/[a-z0-9.+-]{1,40}(;base64)?,(.*)$/is.exec(url) ?? [];
  return mark === undefined ? undefined : Buffer.from(decodePercent(content), "base64");
}
