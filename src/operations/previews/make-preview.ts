import { Problem } from "../../core/errors.ts";
import { encodePreviewId, type PreviewSubject } from "../../previews/preview-id.ts";
import type { Context } from "../context.ts";

/**
 * Returns the PNG of a preview, rendered for the key unless it is cached or in progress. Rejects as the renderer does, and
 * with `gone` when the message was deleted.
 */
export async function makePreview(
  { store, renderer, previews }: Pick<Context, "store" | "renderer" | "previews">,
  subject: PreviewSubject,
  key: string,
): Promise<Uint8Array> {
  const source = async (): Promise<Uint8Array> => {
    const raw = await store.getRaw(subject.message);
    if (raw === undefined || raw.byteLength === 0) throw previewMessageDeleted();
    return raw;
  };
  return previews.get(encodePreviewId(subject), () => renderer.render(source, subject.client, { key }));
}

/** Returns the error for a preview whose message was deleted. */
export function previewMessageDeleted(): Problem {
  return new Problem("gone", { text: "The message of this preview was deleted" });
}
