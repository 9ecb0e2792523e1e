/** Page that shows a mail's HTML: no scripts, no navigation, and no connections unless remote content is allowed. */
import type { HttpResponseHeaders } from "../http-response.ts";

/** Options of the reader. */
export interface MailPageChoices {
  /** Whether the images, styles and fonts may be loaded from the sender's servers. */
  readonly isRemoteAllowed: boolean;
  /** Whether the mail sees a dark colour scheme. */
  readonly isDark: boolean;
}

const sandbox = "sandbox allow-popups allow-popups-to-escape-sandbox";
const doctype = /^\s*<!doctype[^>]{0,1000}>/i;

/**
 * Returns the header fields of the page. The sandbox gives it an origin of its own, without scripts, forms and
 * navigation of its embedder, even when it is opened outside of a frame; links open in new tabs without an opener.
 */
export function mailPageHeaders({ isRemoteAllowed }: MailPageChoices): HttpResponseHeaders {
  const remote = isRemoteAllowed ? " https: http:" : "";
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      `default-src 'none'; img-src data:${remote}; style-src 'unsafe-inline'${remote}; font-src data:${remote}; ` +
      `media-src data:${remote}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; ${sandbox}`,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-dns-prefetch-control": "off",
  };
}

/**
 * Returns the page for a mail's rewritten HTML. The mail's document type stays first, since it determines the layout
 * mode of browsers.
 */
export function mailPage(html: string, { isDark }: MailPageChoices): string {
  const own = doctype.exec(html)?.[0] ?? "";
  const scheme = isDark ? "dark" : "light";
  const head = `<base target="_blank"><meta name="color-scheme" content="${scheme}"><style>:root{color-scheme:${scheme}}</style>`;
  return own + head + html.slice(own.length);
}
