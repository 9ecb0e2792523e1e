import tlds from "tlds" with { type: "json" };
import { analysedLengthMax } from "../core/limits.ts";
import type { Code, Image, Link } from "../core/message.ts";
import { findCodes } from "./codes/find-codes.ts";
import { linkCountMax, textLinkLengthMax } from "./bounds.ts";

/**
 * Returns the analysed part of a body: its first {@link analysedLengthMax} UTF-16 code units, without splitting a
 * character.
 */
export function analysedText(body: string): string {
  if (body.length <= analysedLengthMax) return body;
  const last = body.charCodeAt(analysedLengthMax - 1);
  return body.slice(0, last >= 0xd800 && last < 0xdc00 ? analysedLengthMax - 1 : analysedLengthMax);
}

/** Findings in one HTML body. Every list is in document order and within the limits of `bounds.ts`. */
export interface HtmlAnalysis {
  /** Anchors and image-map areas that have an `href`, including repetitions. */
  readonly links: readonly Link[];
  /** `img` elements and favicons that have a source, including repetitions. */
  readonly images: readonly Image[];
  /** One-time codes of the visible text, each listed once. */
  readonly codes: readonly Code[];
  /**
   * Visible text: white space collapsed, lines separated by one LF, table cells by one TAB, no zero-width characters,
   * neither white space nor separators at its ends. "" if nothing is visible.
   */
  readonly visibleText: string;
}

/** Findings in one plain-text body or SMS. Every list is in document order and within the limits of `bounds.ts`. */
interface TextAnalysis {
  /** Addresses that an email client would make clickable, including repetitions; `text` equals `href`. */
  readonly links: readonly Link[];
  /** One-time codes, each listed once. */
  readonly codes: readonly Code[];
}

/**
 * Analyses a plain-text body or an SMS, up to the limit of {@link analysedText}: links as {@link findTextLinks}, codes
 * as {@link findCodes}. Linear; throws as that does.
 */
export function analyseText(body: string, candidateMax: number = Infinity): TextAnalysis {
  const text = analysedText(body);
  return { links: findTextLinks(text), codes: findCodes(text, candidateMax) };
}

// Characters of an address: all but white space, the delimiters of RFC 3986 Appendix C, and punctuation that follows without a
// space in Chinese and Japanese.
const characters = String.raw`[^\s<>"\x60\\\p{Cc}\u200b\ufeff\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]`;
/** An address with `http:`, `https:`, `mailto:` or `www.`; one of an application, `scheme://`; a host name with a path. */
const address = new RegExp(
  String.raw`(?<![A-Za-z0-9])(?:https?:\/\/|mailto:|www\.)${characters}+` +
    String.raw`|(?<![A-Za-z0-9+.-])(?<scheme>[a-z][a-z0-9+.-]{1,30}):\/\/${characters}+` +
    String.raw`|(?<![\w@./:\\+&=?#-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}(?<domain>[a-z]{2,24})(?::\d{1,5})?\/${characters}*`,
  "giu",
);
/** Schemes of files, protocols and scripts, which no phone opens in an application. */
const otherSchemes: ReadonlySet<string> = new Set(
  `about amqp amqps blob chrome data file ftp ftps gs http https jar javascript jdbc ldap ldaps mailto memcached mongodb mysql nats
   postgres postgresql redis rediss rsync s3 scp sftp smb smtp smtps ssh svn tcp telnet udp unix vbscript view-source ws wss`.split(
    /\s+/,
  ),
);
const brackets: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);
const trailing = new Set(".,;:!?'*…’”»");
const bare = /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:|www\.)$/i;
/** Beginning of an address that needs no further look. */
const started = /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:|www\.)/i;

/**
 * Returns the addresses of a plain text that email clients and phones make clickable, in order, including repetitions, `text`
 * equal to `href`, exactly as written: `http:`, `https:` and `mailto:` URLs; host names that start with `www.`; URLs of
 * applications (`myapp://…`), except those of other protocols; and host names in front of a path (`bit.ly/x`) whose top-level
 * domain exists, is written in lower case, and is no extension of files. Punctuation after an address and brackets around it are
 * not part of it; brackets that it opens itself are. In Markdown, the text of a link ends in front of `](`.
 */
export function findTextLinks(text: string): Link[] {
  const links: Link[] = [];
  if (!["/", "www.", "WWW.", "@"].some((mark) => text.includes(mark))) return links;
  for (const { 0: written, groups } of text.matchAll(address)) {
    if (links.length >= linkCountMax) break;
    if (!isAddress(groups)) continue;
    for (const [at, part] of written.split("](").entries()) {
      const href = withoutTrailingMarks(part);
      if (part.length <= textLinkLengthMax && !bare.test(href) && (at === 0 || started.test(href))) {
        links.push({ href, text: href });
      }
    }
  }
  return links;
}

function isAddress(groups: Readonly<Record<string, string | undefined>> | undefined): boolean {
  const { scheme, domain } = groups ?? {};
  if (scheme !== undefined) return !otherSchemes.has(scheme.toLowerCase()) && !/https?$/i.test(scheme);
  return domain === undefined || isPublicDomain(domain);
}

function withoutTrailingMarks(written: string): string {
  let end = written.length;
  const surplus = surplusOfClosing(written);
  for (; end > 0; end--) {
    const last = written.charAt(end - 1);
    const unmatched = surplus.get(last) ?? 0;
    if (unmatched > 0) surplus.set(last, unmatched - 1);
    else if (!trailing.has(last)) break;
  }
  return written.slice(0, end);
}

/** Returns how many closing brackets of each kind have no opening one in the address. */
function surplusOfClosing(written: string): Map<string, number> {
  const surplus = new Map<string, number>();
  for (const [close, open] of brackets) {
    surplus.set(close, written.split(close).length - written.split(open).length);
  }
  return surplus;
}

// Host names under top-level domains that exist, as far as they are not names of files.

const topLevel: ReadonlySet<string> = new Set(tlds);
/** Domains that are extensions of files too: `report.py/` in a text is a file or a folder. */
const fileExtensions: ReadonlySet<string> = new Set("cc md mk mov pl pm ps py rs sh so tf zip".split(" "));

/** Returns whether a lower-case top-level domain exists, and is no extension of files. */
function isPublicDomain(name: string): boolean {
  return topLevel.has(name) && !fileExtensions.has(name);
}
