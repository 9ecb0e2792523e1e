import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import {
  type EmailClient,
  emailClients,
  encodePreviewId,
  findEmailClient,
  parsePreviewId,
  type PreviewSubject,
  withoutImages,
} from "../../previews/email-client.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../services/reading/get-message.ts";
import { within } from "../services/limits/mail-admission.ts";
import { openMessageId, openServer, orNotFound } from "../services/security/access.ts";

/** Email clients that previews are rendered for. */
export interface EmailClientList {
  readonly clients: readonly EmailClient[];
  /** Whether this service can render previews. */
  readonly isAvailable: boolean;
}

/** Returns all email clients in the order of their table. */
export async function listEmailClients({ renderer }: Context): Promise<EmailClientList> {
  return { clients: emailClients, isAvailable: (await renderer.problem()) === null };
}

/**
 * Returns the PNG of a preview, rendered for the key unless it is cached or in progress. Rejects as the renderer does, and
 * with `gone` when the message was deleted.
 */
export async function makePreview(
  { store, renderer, previews }: Context,
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
function previewMessageDeleted(): Problem {
  return new Problem("gone", { text: "The message of this preview was deleted" });
}

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
interface PreviewRequest {
  readonly id: string;
  readonly wanted: readonly RequestedPreview[];
  /** Path of the list in the request. */
  readonly listField: string;
}

/** Maximum number of previews per request. */
const previewCountMax = 50;

/**
 * Starts rendering previews of a mail and returns their ids at once, in the order of the request. Rejects with
 * `not_found`, also for SMS; with a 400 for an unknown email client, or when there is no browser.
 */
export async function generatePreviews(
  context: Context,
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

function begin(context: Context, subject: PreviewSubject, key: string): Preview {
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

/** Rendered preview. */
export interface PreviewFile {
  readonly subject: PreviewSubject;
  readonly png: Uint8Array;
}

/**
 * Returns the preview, after waiting for at most `waitMs`; null when it is not ready by then. Renders it unless it is
 * cached or in progress. Rejects with `not_found`; with `gone` when the message was deleted; with a 400 when there is no
 * browser; with `unavailable` when rendering failed.
 */
export async function getPreview(
  context: Context,
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

async function openSubject(context: Context, principal: Principal, subject: PreviewSubject): Promise<void> {
  const { message } = subject;
  openMessageId(principal, message);
  if ((await context.store.getDetail(message)) !== undefined) return;
  await openServer(context, principal, decodeMessageId(message).server);
  context.previews.forget(encodePreviewId(subject));
  throw previewMessageDeleted();
}
