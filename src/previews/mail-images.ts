import { safeImage, type SafeImage } from "../analysis/safe-image.ts";
import { decodeBytes } from "../mime/body-content.ts";
import type { Part } from "../mime/part.ts";

/** Where a preview's page lies: a name that exists nowhere (RFC 6761 §6.4). */
export const pageOrigin = "http://mail.invalid";
/** Images that are not shown lead here, and the page's policy lets nobody ask for it. */
export const nowhere: string = `${pageOrigin}/absent`;

const imageBytesMax = 32 * 1024 * 1024;
const imagePixelsMax = 80_000_000;
const writtenLengthMax = 4 * 1024 * 1024;

/** The images of one mail, each under an address of the page's own. */
export interface MailImages {
  /** Address of the image that a mail names by `cid:` (RFC 2392) or brings along as `data:` (RFC 2397). */
  readonly urlOf: (written: string) => string;
  /** By address, those that were asked for. */
  readonly shown: ReadonlyMap<string, SafeImage>;
}

/**
 * The images among a mail's parts, as far as they are safe to decode; together at most 32 MiB and 80 megapixels. `cid:`
 * and `data:` only: everything else leads nowhere.
 */
export function collectImages(raw: Uint8Array, root: Part): MailImages {
  const parts = partsByContentId(root);
  const shown = new Map<string, SafeImage>();
  const known = new Map<string, string>();
  let budget = { bytes: imageBytesMax, pixels: imagePixelsMax };

  const add = (bytes: Uint8Array | undefined): string => {
    const image = bytes === undefined || bytes.byteLength > budget.bytes ? undefined : safeImage(bytes);
    if (image === undefined || image.pixels > budget.pixels) return nowhere;
    budget = { bytes: budget.bytes - image.bytes.byteLength, pixels: budget.pixels - image.pixels };
    const url = `${pageOrigin}/part/${String(shown.size)}`;
    shown.set(url, image);
    return url;
  };
  const bytesOf = (written: string): Uint8Array | undefined => {
    if (written.length > writtenLengthMax) return undefined;
    const [, contentId] = /^cid:(.{1,400})$/is.exec(written) ?? [];
    const part = contentId === undefined ? undefined : (parts.get(unescape(contentId)) ?? parts.get(contentId));
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
  return mark === undefined ? undefined : Buffer.from(unescape(content), "base64");
}

/** In URLs a Content-ID is percent-encoded; broken sequences are taken as they are. */
function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Broken percent-encoding is taken literally.
    return text;
  }
}
