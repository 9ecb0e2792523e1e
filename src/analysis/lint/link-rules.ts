import { decodePercent } from "../../core/text-encodings.ts";
import { hostOf, isMisleading, isShortLink } from "../content-checks.ts";
import { type LintRule, noticesOf, rulesOf } from "./lint-rule.ts";

const localHost =
  /^(?:localhost|.*\.(?:localhost|local|test|internal|example|invalid)|127(?:\.\d{1,3}){3}|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|0\.0\.0\.0|\[.*\])$/;

/** Rules about links as written; none sends a request. */
export const linkRules: readonly LintRule[] = rulesOf("links", {
  "link-address": {
    severity: "error",
    meaning:
      "Every link has a valid target: `https`, `http`, `mailto`, `tel`, `sms`, or a place in the mail (`#…`); not an empty one, a relative path, or `javascript:`.",
    check: badLinks("A link has no valid target", (href) => !isReadable(href.trim())),
  },
  "link-place-holder": {
    severity: "error",
    meaning: "No link contains a placeholder of a template or is one (`#`).",
    check: badLinks(
      "A link contains a placeholder",
      (href) => href.trim() === "#" || /\{\{|\}\}|\$\{|%7B%7B|\*\||<%|\bundefined\b|\[object/i.test(href),
    ),
  },
  "link-local": {
    severity: "warning",
    meaning:
      "No link has a host that only one machine or network knows: `localhost`, private addresses, `.test`, `.example`.",
    check: badLinks("A link points to a host that readers cannot reach", (href) => localHost.test(hostOf(href) ?? "")),
  },
  "link-insecure": {
    severity: "warning",
    meaning: "Links use `https`.",
    check: badLinks("A link is not encrypted", (href) => /^\s*http:/i.test(href)),
  },
  "link-space": {
    severity: "warning",
    meaning: "No link contains a space (RFC 3986 §2): email clients cut the link there, or encode it differently.",
    check: badLinks("A link contains a space", (href) => /^https?:\S* /i.test(href.trim())),
  },
  "link-misleading": {
    severity: "error",
    meaning:
      "A link whose text is an address points to that site: anything else looks like phishing to readers and filters.",
    check: ({ links }) =>
      links.filter(isMisleading).map(({ href, text }) => ({
        message: `The text of a link shows ${(text ?? "").trim().slice(0, 80)}`,
        subject: href,
      })),
  },
  "link-shortened": {
    severity: "warning",
    meaning: "No link uses a URL shortener: readers cannot see the target, and filters distrust it.",
    check: badLinks("A link uses a URL shortener", isShortLink),
  },
  "image-address": {
    severity: "error",
    meaning: "Every image has an `https` or `http` address, is a part of the mail (`cid:`) or is embedded (`data:`).",
    check: ({ images }) =>
      noticesOf(
        "An image has no valid address",
        images.map(({ src }) => src).filter((src) => !/^(?:https?:\/\/[^/\s]|cid:.|data:image\/)/i.test(src.trim())),
      ),
  },
  "image-missing-part": {
    severity: "error",
    meaning: "Every `cid:` image names a part of the mail by its Content-ID (RFC 2392).",
    check: ({ images, mail }) => {
      const parts = new Set(mail.attachments.map(({ contentId }) => contentId));
      const named = images.map(({ src }) => src.trim()).filter((src) => /^cid:/i.test(src));
      const missing = named.filter((src) => !parts.has(decodePercent(src.slice(4))));
      return noticesOf("An image refers to a missing part", missing);
    },
  },
});

/** Returns the check that reports the links whose address is bad. */
function badLinks(message: string, isBad: (href: string) => boolean): LintRule["check"] {
  return ({ links }) => noticesOf(message, links.map(({ href }) => href).filter(isBad));
}

function isReadable(href: string): boolean {
  if (/^#./.test(href) || href === "#") return true;
  if (/^(?:mailto|tel|sms):\S/i.test(href)) return true;
  return hostOf(href) !== null;
}
