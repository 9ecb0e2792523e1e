import type { Message } from "../../wire.ts";

/** A link in the HTML or text body of a message. */
export type FoundLink = Message["html"]["links"][number];

/** Most links that the service lists of one body. */
const linkCountMax = 10_000;

/** Returns whether a body may have more links than the service lists. */
export function hasMoreLinks({ html, text }: Pick<Message, "html" | "text">): boolean {
  return html.links.length >= linkCountMax || text.links.length >= linkCountMax;
}

/** Returns the links of both bodies in order, each address once, with its first text. */
export function uniqueLinks({ html, text }: Pick<Message, "html" | "text">): readonly FoundLink[] {
  const first = new Map<string, FoundLink>();
  for (const link of [...html.links, ...text.links]) if (!first.has(link.href)) first.set(link.href, link);
  return [...first.values()];
}
