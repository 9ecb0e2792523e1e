import type { MessageStructure, StructurePart, StructureRange } from "./structure.ts";

/**
 * Finds a part by its part specifier (RFC 9051 §6.4.5.1), numbers from 1. A mail that is not a multipart has part 1, its body;
 * the numbers after those of a mail in a part count in that mail. Undefined when there is no such part.
 */
export function findPart(message: MessageStructure, numbers: readonly number[]): StructurePart | undefined {
  let within: MessageStructure | StructurePart | undefined = message;
  for (const number of numbers) within = within === undefined ? undefined : childOf(within, number);
  return within === undefined || "root" in within ? undefined : within;
}

function childOf(within: MessageStructure | StructurePart, number: number): StructurePart | undefined {
  if ("root" in within) {
    if (within.root.children.length > 0) return within.root.children[number - 1];
    return number === 1 ? within.root : undefined;
  }
  return within.message === null ? within.children[number - 1] : childOf(within.message, number);
}

/** Section of a mail or of a part (RFC 9051 §6.4.5.1). */
export interface MailSection {
  /** Part specifier; empty for the mail itself. */
  readonly part: readonly number[];
  /** `MIME` is the header section of the part; null is the body of the part, or the whole mail. */
  readonly text: "HEADER" | "TEXT" | "MIME" | null;
}

/** Returns the bytes of a section; undefined when the mail has no such section. */
export function findSection(message: MessageStructure, { part, text }: MailSection): StructureRange | undefined {
  if (part.length === 0) return text === "MIME" ? undefined : sectionOfMessage(message, text);
  const found = findPart(message, part);
  if (found === undefined || text === null) return found?.body;
  if (text === "MIME") return found.header;
  return found.message === null ? undefined : sectionOfMessage(found.message, text);
}

function sectionOfMessage({ root }: MessageStructure, text: "HEADER" | "TEXT" | null): StructureRange {
  if (text === null) return { start: root.header.start, end: root.body.end };
  return text === "HEADER" ? root.header : root.body;
}
