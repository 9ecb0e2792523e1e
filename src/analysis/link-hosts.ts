import type { Link } from "../core/message.ts";

/** Hosts whose addresses hide where a link leads. Receivers distrust them, since senders of spam like them. */
const hosts: ReadonlySet<string> = new Set(
  (
    "adf.ly amzn.to b.link bit.do bit.ly bl.ink buff.ly clck.ru cutt.ly db.tt dlvr.it fb.me geni.us goo.gl goo.su " +
    "is.gd j.mp kutt.it linktr.ee lnkd.in mcaf.ee n9.cl ow.ly po.st qr.ae rb.gy rebrand.ly s.id short.gy short.io " +
    "shorte.st shorturl.at smarturl.it snip.ly soo.gd su.pr surl.li t.co t.ly t2m.io tiny.cc tinyurl.com tr.im u.to " +
    "urlz.fr v.gd vk.cc wp.me x.co y2u.be yourls.org zi.ma"
  ).split(" "),
);

/** Whether a link leads to a well-known shortener. */
export function isShortLink(href: string): boolean {
  const host = hostOf(href);
  return host !== null && hosts.has(host.replace(/^www\./, ""));
}

/** Host of an http(s) link in lower case; null for everything else. */
export function hostOf(href: string): string | null {
  const url = URL.parse(href.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url.hostname : null;
}

/** Whether a link's text is an address, and of another site than the one that the link leads to. */
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

/** The last two labels: near enough to tell a bank from somebody else. */
function siteOf(host: string): string {
  return host.split(".").slice(-2).join(".");
}
