import type { Link } from "../core/message.ts";
import { linkCountMax, textLinkLengthMax } from "./bounds.ts";

// Characters that end an address besides white space: the delimiters of RFC 3986 Appendix C, and punctuation that
// follows without a space in Chinese and Japanese.
const address =
  /(?<![A-Za-z0-9])(?:https?:\/\/|mailto:|www\.)[^\s<>"`\\\p{Cc}\u200b\ufeff\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/giu;
const brackets: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);
const trailing = new Set(".,;:!?'*…’”»");
const bare = /^(?:https?:\/\/|mailto:|www\.)$/i;

/**
 * Returns the addresses of a plain text that email clients make clickable: `http:`, `https:` and `mailto:` URLs, and
 * host names that start with `www.`, in order, including repetitions, `text` equal to `href`, exactly as written.
 * Punctuation after an address and brackets around it are not part of it; brackets that it opens itself are.
 */
export function findTextLinks(text: string): Link[] {
  const links: Link[] = [];
  if (!["://", "www.", "WWW.", "@"].some((mark) => text.includes(mark))) return links;
  for (const [written] of text.matchAll(address)) {
    if (links.length >= linkCountMax) break;
    if (written.length > textLinkLengthMax) continue;
    const href = withoutTrailingMarks(written);
    if (!bare.test(href)) links.push({ href, text: href });
  }
  return links;
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
