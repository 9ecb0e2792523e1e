import { hostOf, isMisleading, isShortLink } from "../content-checks.ts";
import type { LintRule } from "./lint-rule.ts";

const category = "links";
const localHost =
  /^(?:localhost|.*\.(?:localhost|local|test|internal|example|invalid)|127(?:\.\d{1,3}){3}|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|0\.0\.0\.0|\[.*\])$/;

/** Rules about links as written; none sends a request. */
export const linkRules: readonly LintRule[] = [
  {
    id: "link-address",
    severity: "error",
    category,
    meaning:
      "Every link has a valid target: `https`, `http`, `mailto`, `tel`, `sms`, or a place in the mail (`#…`); not an empty one, a relative path, or `javascript:`.",
    check: ({ links }) =>
      links
        .filter(({ href }) => !isReadable(href.trim()))
        .map(({ href }) => ({ message: "A link has no valid target", subject: href })),
  },
  {
    id: "link-place-holder",
    severity: "error",
    category,
    meaning: "No link contains a placeholder of a template or is one (`#`).",
    check: ({ links }) =>
      links
        .filter(({ href }) => href.trim() === "#" || /\{\{|\}\}|\$\{|%7B%7B|\*\||<%|\bundefined\b|\[object/i.test(href))
        .map(({ href }) => ({ message: "A link contains a placeholder", subject: href })),
  },
  {
    id: "link-local",
    severity: "warning",
    category,
    meaning:
      "No link has a host that only one machine or network knows: `localhost`, private addresses, `.test`, `.example`.",
    check: ({ links }) =>
      links
        .filter(({ href }) => localHost.test(hostOf(href) ?? ""))
        .map(({ href }) => ({ message: "A link points to a host that readers cannot reach", subject: href })),
  },
  {
    id: "link-insecure",
    severity: "warning",
    category,
    meaning: "Links use `https`.",
    check: ({ links }) =>
      links
        .filter(({ href }) => /^\s*http:/i.test(href))
        .map(({ href }) => ({ message: "A link is not encrypted", subject: href })),
  },
  {
    id: "link-misleading",
    severity: "error",
    category,
    meaning:
      "A link whose text is an address points to that site: anything else looks like phishing to readers and filters.",
    check: ({ links }) =>
      links.filter(isMisleading).map(({ href, text }) => ({
        message: `The text of a link shows ${(text ?? "").trim().slice(0, 80)}`,
        subject: href,
      })),
  },
  {
    id: "link-shortened",
    severity: "warning",
    category,
    meaning: "No link uses a URL shortener: readers cannot see the target, and filters distrust it.",
    check: ({ links }) =>
      links
        .filter(({ href }) => isShortLink(href))
        .map(({ href }) => ({ message: "A link uses a URL shortener", subject: href })),
  },
  {
    id: "image-address",
    severity: "error",
    category,
    meaning: "Every image has an `https` or `http` address, is a part of the mail (`cid:`) or is embedded (`data:`).",
    check: ({ images }) =>
      images
        .filter(({ src }) => !/^(?:https?:\/\/[^/\s]|cid:.|data:image\/)/i.test(src.trim()))
        .map(({ src }) => ({ message: "An image has no valid address", subject: src })),
  },
  {
    id: "image-missing-part",
    severity: "error",
    category,
    meaning: "Every `cid:` image names a part of the mail by its Content-ID (RFC 2392).",
    check: ({ images, mail }) => {
      const parts = new Set(mail.attachments.map(({ contentId }) => contentId));
      const named = images.map(({ src }) => src.trim()).filter((src) => /^cid:/i.test(src));
      return named
        .filter((src) => !parts.has(decode(src.slice(4))))
        .map((src) => ({ message: "An image refers to a missing part", subject: src }));
    },
  },
];

function isReadable(href: string): boolean {
  if (/^#./.test(href) || href === "#") return true;
  if (/^(?:mailto|tel|sms):\S/i.test(href)) return true;
  return hostOf(href) !== null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Broken percent-encoding is taken literally.
    return text;
  }
}
