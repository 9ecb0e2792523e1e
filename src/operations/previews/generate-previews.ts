import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { emailClients, findEmailClient, withoutImages, type EmailClient } from "../../previews/email-client.ts";
import { encodePreviewId, type PreviewSubject } from "../../previews/preview-id.ts";
import { openMessageId } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../messages/get-raw-message.ts";
import { makePreview } from "./make-preview.ts";

/** A preview that was asked for. `field` is where the request names the program, for refusals. */
export interface RequestedPreview {
  readonly field: string;
  readonly emailClient: string;
  readonly disableImages: boolean;
}

/** A preview, ready or not. */
export interface Preview {
  readonly id: string;
  /** The program's label. */
  readonly emailClient: string;
  readonly disableImages: boolean;
}

/** What a request for previews is about. */
export interface PreviewRequest {
  readonly id: string;
  readonly wanted: readonly RequestedPreview[];
  /** The field that lists them. */
  readonly listField: string;
}

type Dependencies = Pick<Context, "store" | "renderer" | "previews">;

/** Previews that one request may ask for. */
export const previewCountMax = 50;

/**
 * Has previews of a mail made, and answers at once, in the order of the request. Rejects with `not_found`, also for
 * messages that are no mail; with a 400 that names the program nobody knows, or says how to get a browser.
 */
export async function generatePreviews(
  context: Dependencies,
  principal: Principal,
  { id, wanted, listField }: PreviewRequest,
): Promise<readonly Preview[]> {
  const message = openMessageId(principal, id);
  await getRawMessage(context, principal, id);
  if (wanted.length === 0) throw invalidField(listField, "Name at least one email client", "required");
  if (wanted.length > previewCountMax) {
    throw invalidField(listField, `At most ${String(previewCountMax)} previews at once`, "too_many");
  }
  const clients = wanted.map(clientOf);
  const problem = await context.renderer.problem();
  if (problem !== null) throw invalidField(listField, problem, "no_browser");
  return clients.map((client) => begin(context, { message, client }, principal.keyId));
}

function begin(context: Dependencies, subject: PreviewSubject, key: string): Preview {
  // Callers that fetch the preview receive the rejection.
  makePreview(context, subject, key).catch(() => undefined);
  const { label, images } = subject.client;
  return { id: encodePreviewId(subject), emailClient: label, disableImages: images === "blocked" };
}

function clientOf({ field, emailClient, disableImages }: RequestedPreview): EmailClient {
  const client = findEmailClient(emailClient);
  if (client === undefined) {
    const known = emailClients.map(({ label }) => label).join(", ");
    throw invalidField(field, `No such email client; there are ${known}`, "unknown");
  }
  return disableImages ? withoutImages(client) : client;
}
