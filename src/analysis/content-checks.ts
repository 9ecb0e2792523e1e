import type { Link } from "../core/message.ts";
import { fieldValues, hasElement, type MailFacts } from "./mail-facts.ts";

/** Properties of a mail's content that receivers check. */
export interface ContentChecks {
  readonly embed: boolean;
  readonly iframe: boolean;
  readonly object: boolean;
  readonly script: boolean;
  /** Whether a link uses a well-known URL shortener. */
  readonly shortUrls: boolean;
  /** Whether an image has no `alt`. */
  readonly missingAlt: boolean;
  readonly missingListUnsubscribe: boolean;
  /** Visible text in bytes of UTF-8. */
  readonly textSize: number;
  /** Bytes of the mail as received. */
  readonly totalSize: number;
}

/** Returns the properties of a mail's content. */
export function checkContent(facts: MailFacts): ContentChecks {
  return {
    embed: hasElement(facts, "embed"),
    iframe: hasElement(facts, "iframe", "frame"),
    object: hasElement(facts, "object", "applet"),
    script: hasElement(facts, "script"),
    shortUrls: facts.links.some(({ href }) => isShortLink(href)),
    missingAlt: facts.hasImageWithoutAlt,
    missingListUnsubscribe: fieldValues(facts, "list-unsubscribe").length === 0,
    textSize: Buffer.byteLength(facts.visibleText),
    totalSize: facts.raw.byteLength,
  };
}

/** Hosts that hide the target of a link. Receivers distrust them, because spam uses them. */
const hosts: ReadonlySet<string> = new Set(
  (
    "adf.ly amzn.to b.link bit.do bit.ly bl.ink buff.ly clck.ru cutt.ly db.tt dlvr.it fb.me geni.us goo.gl goo.su " +
    "is.gd j.mp kutt.it linktr.ee lnkd.in mcaf.ee n9.cl ow.ly po.st qr.ae rb.gy rebrand.ly s.id short.gy short.io " +
    "shorte.st shorturl.at smarturl.it snip.ly soo.gd su.pr surl.li t.co t.ly t2m.io tiny.cc tinyurl.com tr.im u.to " +
    "urlz.fr v.gd vk.cc wp.me x.co y2u.be yourls.org zi.ma"
  ).split(" "),
);

/** Whether a link uses a well-known URL shortener. */
export function isShortLink(href: string): boolean {
  const host = hostOf(href);
  return host !== null && hosts.has(host.replace(/^www\./, ""));
}

/** Returns the host of an http(s) link in lower case; null for anything else. */
export function hostOf(href: string): string | null {
  const url = URL.parse(href.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url.hostname : null;
}

/** Whether the text of a link is an address of another site than its target. */
export function isMisleading({ href, text }: Link): boolean {
  const real = hostOf(href);
  const shown = text === null ? null : shownHost(text);
  return real !== null && shown !== null && siteOf(real) !== siteOf(shown);
}

function shownHost(text: string): string | null {
  const word = text.trim();
  if (word.length > 300 || !/^(?:https?:\/\/|www\.)\S+$/i.test(word)) return null;
  return hostOf(/^https?:/i.test(word) ? word : `http://${word}`);
}

/** Returns the last two labels, which is enough to distinguish two sites. */
function siteOf(host: string): string {
  return host.split(".").slice(-2).join(".");
}
