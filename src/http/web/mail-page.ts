/** The HTML of a mail as a page that can do nothing: it runs no script, goes nowhere by itself and asks nobody. */
import type { AnswerHeaders } from "../answer.ts";

/** What whoever looks at the mail has decided. */
export interface MailPageChoices {
  /** Whether images, styles and fonts may come from the senders' servers. */
  readonly isRemoteAllowed: boolean;
  /** Whether the mail shall take the reader's system for a dark one. */
  readonly isDark: boolean;
}

const sandbox = "sandbox allow-popups allow-popups-to-escape-sandbox";
const doctype = /^\s*<!doctype[^>]{0,1000}>/i;

/**
 * Header fields of the page. The sandbox gives it an origin of its own, without script, forms and navigation of its
 * surroundings, even where it is opened outside of our frame; links open in new tabs that know nothing of us.
 */
export function mailPageHeaders({ isRemoteAllowed }: MailPageChoices): AnswerHeaders {
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
 * The page for a mail's HTML. The mail's own document type stays first, since it decides how browsers lay out. Media
 * queries for colour schemes are answered by the reader's choice instead of by the system.
 */
export function mailPage(html: string, { isDark }: MailPageChoices): string {
  const own = doctype.exec(html)?.[0] ?? "";
  const scheme = isDark ? "dark" : "light";
  const head = `<base target="_blank"><meta name="color-scheme" content="${scheme}"><style>:root{color-scheme:${scheme}}</style>`;
  return own + head + answerSchemeQueries(html.slice(own.length), isDark);
}

function answerSchemeQueries(html: string, isDark: boolean): string {
  return html.replaceAll(/prefers-color-scheme\s{0,9}:\s{0,9}(dark|light)/gi, (_query, scheme: string) => {
    return (scheme.toLowerCase() === "dark") === isDark ? "min-width:0" : "max-width:0";
  });
}
