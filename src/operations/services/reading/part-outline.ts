import { parseMail } from "../../../mime/parse-mail.ts";
import type { Part, TransferEncoding } from "../../../mime/part.ts";
import type { MimeLimits } from "../../../mime/source.ts";

/** Description of one part of a mail; survives structured cloning. */
export interface PartOutline {
  readonly mediaType: string;
  readonly charset: string | null;
  readonly transferEncoding: TransferEncoding;
  readonly disposition: "attachment" | "inline" | null;
  readonly fileName: string | null;
  readonly contentId: string | null;
  /** Size of the encoded body in bytes. */
  readonly sizeBytes: number;
  readonly children: readonly PartOutline[];
}

/** Returns the part tree of a mail, at most `partDepthMax` deep. Linear in the mail. */
export function outlineMail(raw: Uint8Array, limits: MimeLimits): PartOutline {
  return outline(parseMail(raw, limits).root);
}

function outline(part: Part): PartOutline {
  const { mediaType, charset, transferEncoding, disposition, fileName, contentId } = part;
  const sizeBytes = part.bodyEnd - part.bodyStart;
  const children = part.children.map(outline);
  return { mediaType, charset, transferEncoding, disposition, fileName, contentId, sizeBytes, children };
}
