import type { MessageStructure, StructurePart } from "../../mime/structure/structure.ts";

/** Part of a mail under the number that smtp4dev gives it, in the order of the mail. */
export interface NumberedPart {
  readonly number: number;
  readonly part: StructurePart;
  /** Whether the header section of the part is that of a mail. */
  readonly isRoot: boolean;
  readonly fileName: string | null;
  readonly contentId: string | null;
  readonly isAttachment: boolean;
  readonly children: readonly NumberedPart[];
}

/** Returns the root of a mail with the parts in it, also those of mails in it. */
export function numberParts({ root }: MessageStructure): NumberedPart {
  let count = 0;
  const visit = (part: StructurePart, isRoot: boolean): NumberedPart => {
    const number = count;
    count += 1;
    const { parameters, disposition, message } = part;
    const fileName = disposition?.parameters.get("filename") || parameters.get("name") || null;
    const children = part.children.map((child) => visit(child, false));
    return {
      number,
      part,
      isRoot,
      fileName,
      contentId: part.id?.trim().replace(/^</, "").replace(/>$/, "") ?? null,
      isAttachment: disposition?.type === "attachment" || (disposition?.type !== "inline" && fileName !== null),
      children: message === null ? children : [...children, visit(message.root, true)],
    };
  };
  return visit(root, true);
}

/** Yields a part and all parts in it, in the order of their numbers. */
export function* allParts(part: NumberedPart): Generator<NumberedPart, void> {
  yield part;
  for (const child of part.children) yield* allParts(child);
}
