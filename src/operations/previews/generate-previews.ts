import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { emailClients, findEmailClient, withoutImages, type EmailClient } from "../../previews/email-client.ts";
import { encodePreviewId, type PreviewSubject } from "../../previews/preview-id.ts";
import { openMessageId } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../messages/get-raw-message.ts";
import { makePreview } from "./make-preview.ts";

/** Requested preview. `field` is the path of the client in the request, for error messages. */
export interface RequestedPreview {
  readonly field: string;
  readonly emailClient: string;
  readonly disableImages: boolean;
}

/** Preview, which may not be ready yet. */
export interface Preview {
  readonly id: string;
  /** Label of the email client. */
  readonly emailClient: string;
  readonly disableImages: boolean;
}

/** Request for previews. */
export interface PreviewRequest {
  readonly id: string;
  readonly wanted: readonly RequestedPreview[];
  /** Path of the list in the request. */
  readonly listField: string;
}

type Dependencies = Pick<Context, "store" | "renderer" | "previews">;

/** Maximum number of previews per request. */
export const previewCountMax = 50;

/**
 * Starts rendering previews of a mail and returns their ids at once, in the order of the request. Rejects with
 * `not_found`, also for SMS; with a 400 for an unknown email client, or when there is no browser.
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
