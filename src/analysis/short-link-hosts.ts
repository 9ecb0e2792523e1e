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
