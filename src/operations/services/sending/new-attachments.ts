import { invalidField } from "../../../core/errors.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import type { Limits } from "../../../core/limits.ts";
import { decodeStrictBase64 } from "../../../core/text-encodings.ts";
import type { ComposedAttachment } from "../../../mime/compose/compose.ts";

/** Attachment of a request. */
export interface NewAttachment {
  readonly fileName?: string;
  readonly contentType?: string;
  /** Base64 (RFC 4648 §4); line ends between its characters are ignored. */
  readonly content?: string;
  readonly contentId?: string;
}

/** Parts of a composed mail beside its attachments: mixed, alternative, related, text, HTML. */
const otherPartCountMax = 5;

/** Decodes attachments; throws a 400 that names every wrong field, for too many or invalid base64. */
export function readAttachments(
  attachments: readonly NewAttachment[],
  limits: Pick<Limits, "partCountMax">,
): readonly ComposedAttachment[] {
  const countMax = Math.max(0, limits.partCountMax - otherPartCountMax);
  if (attachments.length > countMax) {
    throw invalidField("attachments", `At most ${String(countMax)} attachments`, "too_many");
  }
  const errors = new FieldCollector();
  const read = attachments.map(({ fileName, contentType, content = "", contentId }, position) => ({
    fileName: fileName ?? null,
    contentType: contentType ?? "application/octet-stream",
    content: errors.collect(() => decode(`attachments[${String(position)}].content`, content)) ?? new Uint8Array(),
    contentId: contentId ?? null,
    isInline: contentId !== undefined,
  }));
  errors.finish();
  return read;
}

function decode(field: string, written: string): Uint8Array {
  const text = /\s/.test(written) ? written.replaceAll(/\s+/g, "") : written;
  const bytes = decodeStrictBase64(text);
  if (bytes === null) throw invalidField(field, "Must be base64 with its padding", "invalid_base64");
  return bytes;
}
