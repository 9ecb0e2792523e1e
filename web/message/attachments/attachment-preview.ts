import type { Attachment } from "../../wire.ts";

/** Kind of preview of an attachment; archives are never opened. */
export type PreviewKind = "image" | "text" | "pdf" | "calendar";

/** Largest file that is read as a PDF. */
const pdfBytesMax = 8 * 1000 * 1000;

const types: readonly (readonly [type: RegExp, kind: PreviewKind])[] = [
  [/^image\/(?:png|gif|jpe?g|webp)\b/i, "image"],
  [/^application\/(?:x-)?pdf\b/i, "pdf"],
  [/^(?:text\/calendar|application\/ics)\b/i, "calendar"],
  [/^(?:text\/|message\/|application\/(?:json|xml|csv|[\w.-]{1,60}\+(?:json|xml))\b)/i, "text"],
];
/** Kinds by the end of the name, for files that were sent without a type. */
const ends: readonly (readonly [end: RegExp, kind: PreviewKind])[] = [
  [/\.pdf$/i, "pdf"],
  [/\.ics$/i, "calendar"],
  [/\.(?:txt|csv|json|xml|eml|log|md|ya?ml)$/i, "text"],
];

/**
 * Returns how an attachment is previewed; null for one that is only downloaded, such as SVG, archives and large PDF files.
 * HTML is shown as text.
 */
export function previewKind({ contentType, fileName, length }: Attachment): PreviewKind | null {
  if (/^image\/svg/i.test(contentType)) return null;
  const isUntyped = /^application\/octet-stream\b/i.test(contentType);
  const found = isUntyped
    ? ends.find(([end]) => end.test(fileName))?.[1]
    : types.find(([type]) => type.test(contentType))?.[1];
  return found === undefined || (found === "pdf" && length > pdfBytesMax) ? null : found;
}
