import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { encodePreviewId, parsePreviewId, type PreviewSubject } from "../../previews/preview-id.ts";
import { openMessageId, openServer, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { previewMessageDeleted, makePreview } from "./make-preview.ts";
import { within } from "../services/limits/within.ts";

/** Rendered preview. */
export interface PreviewFile {
  readonly subject: PreviewSubject;
  readonly png: Uint8Array;
}

type Dependencies = Pick<Context, "store" | "clock" | "renderer" | "previews">;

/**
 * Returns the preview, after waiting for at most `waitMs`; null when it is not ready by then. Renders it unless it is
 * cached or in progress. Rejects with `not_found`; with `gone` when the message was deleted; with a 400 when there is no
 * browser; with `unavailable` when rendering failed.
 */
export async function getPreview(
  context: Dependencies,
  principal: Principal,
  { id, waitMs }: { readonly id: string; readonly waitMs: number },
): Promise<PreviewFile | null> {
  const subject = orNotFound(parsePreviewId(id), "Preview");
  await openSubject(context, principal, subject);
  const ownId = encodePreviewId(subject);
  const problem = context.previews.isReady(ownId) ? null : await context.renderer.problem();
  if (problem !== null) throw invalidField("id", problem, "no_browser");
  const png = await within(context.clock, waitMs, makePreview(context, subject, principal.keyId));
  return png === null ? null : { subject, png };
}

async function openSubject(context: Dependencies, principal: Principal, subject: PreviewSubject): Promise<void> {
  const { message } = subject;
  openMessageId(principal, message);
  if ((await context.store.getDetail(message)) !== undefined) return;
  await openServer(context, principal, decodeMessageId(message).server);
  context.previews.forget(encodePreviewId(subject));
  throw previewMessageDeleted();
}
