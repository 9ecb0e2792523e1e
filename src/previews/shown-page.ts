import { flattenHtml } from "../analysis/flatten-html.ts";
import { safeImage } from "../analysis/safe-image.ts";
import { decodePercent } from "../core/text-encodings.ts";
import { depthMax, lacksNothing, shownLengthMax } from "./mail-page.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import type { AddressUse } from "./write-css.ts";

/** HTML of a mail for a reader's own browser; survives structured cloning. */
export interface ShownHtml {
  readonly html: string;
  /** Inline parts that the HTML may name by `cid:` (RFC 2392). */
  readonly parts: readonly InlinePart[];
  /** True if images, styles, fonts and media may be loaded from remote servers. */
  readonly isRemoteAllowed: boolean;
  /** Whether `prefers-color-scheme: dark` matches. */
  readonly isDark: boolean;
}

/** Inline part of a mail. */
export interface InlinePart {
  readonly contentId: string;
  readonly bytes: Uint8Array;
}

/** Bytes of all different images in a page, each counted once; further images are not shown. */
export const inlineBytesMax: number = 16 * 1024 * 1024;
/** Bytes of repeated images in a page: enough for a repeated logo, too few for many references to a large photo. */
export const repeatedBytesMax: number = 8 * 1024 * 1024;

/**
 * Returns the mail's HTML for a reader's browser: rewritten to the allow-lists of HTML and CSS, inline images as
 * `data:` URLs within {@link inlineBytesMax} and {@link repeatedBytesMax}, at most 5,000,000 other characters, nested
 * no deeper than browsers support, colour scheme queries resolved. Without `isRemoteAllowed` it contains no address
 * that a browser loads automatically. Linear; never throws.
 */
export function composeShownPage({ html, parts, isRemoteAllowed, isDark }: ShownHtml): string {
  const inline = inlineImages(parts);
  const address = (written: string, use: AddressUse): string | null => {
    if (/^cid:/i.test(written)) return use === "image" ? inline(written) : null;
    if (/^data:/i.test(written)) return use === "sheet" || use === "source" ? null : written;
    if (!isRemoteAllowed) return null;
    return /^https?:\/\//i.test(written) ? written : written.startsWith("//") ? `https:${written}` : null;
  };
  const rewritten = rewriteHtml(html.slice(0, shownLengthMax), { lacks: lacksNothing, address });
  return resolveSchemeQueries(flattenHtml(rewritten, depthMax), isDark);
}

/** Returns a function from `cid:` to `data:` URLs; null if a part is not an image or the budget is used up. */
function inlineImages(parts: readonly InlinePart[]): (written: string) => string | null {
  const byId = new Map(parts.map(({ contentId, bytes }) => [contentId, bytes]));
  const known = new Map<Uint8Array, string | null>();
  let budget = inlineBytesMax;
  let repeats = repeatedBytesMax;
  return (written) => {
    const bytes = byId.get(contentIdOf(written)) ?? byId.get(written.slice(4));
    if (bytes === undefined) return null;
    const before = known.get(bytes);
    if (before !== undefined) {
      if (before === null || bytes.byteLength > repeats) return null;
      repeats -= bytes.byteLength;
      return before;
    }
    const image = bytes.byteLength > budget ? undefined : safeImage(bytes);
    if (image !== undefined) budget -= bytes.byteLength;
    const url =
      image === undefined ? null : `data:${image.contentType};base64,${Buffer.from(image.bytes).toString("base64")}`;
    known.set(bytes, url);
    return url;
  };
}

/** Returns the Content-ID in a `cid:` URL, which is percent-encoded. */
export function contentIdOf(url: string): string {
  return decodePercent(url.slice("cid:".length));
}

/** Resolves media queries for colour schemes by the reader's choice instead of the system's. */
function resolveSchemeQueries(html: string, isDark: boolean): string {
  return html.replaceAll(/prefers-color-scheme\s{0,9}:\s{0,9}(dark|light)/gi, (_query, scheme: string) => {
    return (scheme.toLowerCase() === "dark") === isDark ? "min-width:0" : "max-width:0";
  });
}
