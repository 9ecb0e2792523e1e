import { flattenHtml } from "../analysis/flatten-html.ts";
import { safeImage } from "../analysis/safe-image.ts";
import { depthMax, lacksNothing, shownLengthMax } from "./mail-page.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import type { AddressUse } from "./write-css.ts";

/** HTML of a mail on its way to a reader's own browser; survives structured cloning. */
export interface ShownHtml {
  readonly html: string;
  /** Inline parts that the HTML may name by `cid:` (RFC 2392). */
  readonly parts: readonly InlinePart[];
  /** Whether images, styles, fonts and media may come from the senders' servers. */
  readonly isRemoteAllowed: boolean;
  /** Whether the mail is told that the reader's system is dark. */
  readonly isDark: boolean;
}

/** An inline part of a mail. */
export interface InlinePart {
  readonly contentId: string;
  readonly bytes: Uint8Array;
}

/** Bytes of all different images that a page carries, each once; further images are not shown. */
export const inlineBytesMax: number = 16 * 1024 * 1024;
/** Bytes of images that stand in the page again; a logo may, a flood of references to a photo may not. */
export const repeatedBytesMax: number = 8 * 1024 * 1024;

/**
 * Returns the mail's HTML as a browser may have it: rewritten to the lists of allowed HTML and CSS, inline images as
 * `data:` URLs within {@link inlineBytesMax} and {@link repeatedBytesMax}, at most 5,000,000 characters beside them,
 * nested no deeper than browsers bear, colour scheme queries answered. Without `isRemoteAllowed` it names no address that
 * a browser loads by itself. Linear; never throws.
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
  return answerSchemeQueries(flattenHtml(rewritten, depthMax), isDark);
}

/** Returns a function from `cid:` to `data:` URLs; null where a part is no image or the budget is used up. */
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

/** Returns the Content-ID that a `cid:` URL names: percent-encoded; broken sequences are taken as they are. */
export function contentIdOf(url: string): string {
  const written = url.slice("cid:".length);
  try {
    return decodeURIComponent(written);
  } catch {
    // Broken percent-encoding is taken literally.
    return written;
  }
}

/** Media queries for colour schemes are answered by the reader's choice instead of by the system. */
function answerSchemeQueries(html: string, isDark: boolean): string {
  return html.replaceAll(/prefers-color-scheme\s{0,9}:\s{0,9}(dark|light)/gi, (_query, scheme: string) => {
    return (scheme.toLowerCase() === "dark") === isDark ? "min-width:0" : "max-width:0";
  });
}
