import type { Message } from "../wire.ts";

/** A link of a message, HTML and text alike. */
export type FoundLink = Message["html"]["links"][number];

/** The links of both bodies in the order found, each address once, under its first text. */
export function uniqueLinks({ html, text }: Pick<Message, "html" | "text">): readonly FoundLink[] {
  const first = new Map<string, FoundLink>();
  for (const link of [...html.links, ...text.links]) if (!first.has(link.href)) first.set(link.href, link);
  return [...first.values()];
}
