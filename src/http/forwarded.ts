/** Client addresses behind trusted proxies: `Forwarded` (RFC 7239) and `X-Forwarded-For`. */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** Largest number of proxies in a chain; longer chains are not trusted. */
const hopCountMax = 50;

/**
 * Returns the address of a request's client. When the connection comes from a trusted proxy, that is the last address,
 * read from right to left, that is not a trusted proxy itself: anyone may have written those to its left. When the
 * fields are unreadable, empty or contradictory, it is the proxy's own address. A proxy that sets one of the two fields
 * must drop or forward the other one unchanged: a client that adds it makes them contradict each other and gains
 * nothing.
 */
export function clientOf(peer: string, headers: IncomingHttpHeaders, isProxy: (address: string) => boolean): string {
  const { forwarded, "x-forwarded-for": listed } = headers;
  if (forwarded === undefined && listed === undefined) return peer;
  const own = plainAddress(peer);
  if (isIP(own) === 0 || !isProxy(own)) return peer;
  const written = Array.isArray(listed) ? listed.join(",") : listed;
  const named = [
    ...(forwarded === undefined ? [] : [clientOfChain(forwardedHops(forwarded), isProxy)]),
    ...(written === undefined ? [] : [clientOfChain(written.split(",").map(addressOf), isProxy)]),
  ];
  const [first] = named;
  return first === undefined || first === null || named.some((one) => one !== first) ? peer : first;
}

/** Returns the client of a chain of hops, the nearest last; null when it cannot be determined. */
function clientOfChain(hops: readonly (string | null)[], isProxy: (address: string) => boolean): string | null {
  if (hops.length > hopCountMax) return null;
  const last = hops.findLastIndex((hop) => hop === null || !isProxy(hop));
  return hops[Math.max(0, last)] ?? null;
}

/** Returns the `for` parameter of each element (RFC 7239 §4); null for one without an address. */
function forwardedHops(field: string): readonly (string | null)[] {
  // Unclosed quotes would let a client swallow what the proxy appends.
  const isWhole = /^(?:[^"\\]|"(?:[^"\\]|\\.)*")*$/.test(field);
  if (!isWhole) return [null];
  return elementsOf(field, ",").map((element) => {
    const pairs = elementsOf(element, ";").map((pair) => /^for\s*=(.*)$/i.exec(pair.trim())?.[1]?.trim());
    const [value, ...others] = pairs.filter((one) => one !== undefined);
    return value === undefined || others.length > 0 ? null : addressOf(value.replace(/^"(.*)"$/, "$1"));
  });
}

/** Splits at a character outside of quotes. */
function elementsOf(text: string, mark: string): readonly string[] {
  const found: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (isQuoted && text[at] === "\\") at += 1;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === mark && !isQuoted) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, text.slice(start)];
}

/**
 * Returns the address of a node without its port: `192.0.2.1:80`, `[2001:db8::1]:80`, `2001:db8::1`; null otherwise.
 */
function addressOf(node: string): string | null {
  const trimmed = node.trim();
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15}))(?::\d{1,5})?$/i.exec(trimmed) ?? [];
  const address = plainAddress(bracketed ?? plain ?? trimmed);
  return isIP(address) === 0 || address.includes("%") ? null : address;
}

/** Returns an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as IPv4. */
function plainAddress(address: string): string {
  return /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1] ?? address;
}
