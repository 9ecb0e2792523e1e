/** Files of one message in a bundle. */
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { findEmailClient } from "../../previews/email-client.ts";
import { listDeliveries } from "../callbacks/deliveries.ts";
import { getSpamAnalysis } from "../checks/analyses.ts";
import { lintMessage } from "../checks/lint-message.ts";
import type { Context } from "../context.ts";
import { getMessage } from "../services/reading/get-message.ts";
import { showTranscript, transcriptText } from "../messages/get-transcript.ts";
import { makePreview } from "../previews/previews.ts";
import { within } from "../services/limits/mail-admission.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";
import { orNotFound } from "../services/security/access.ts";

/** File of a message, or why it is missing. */
export type MessageFile =
  | { readonly name: string; readonly content: Uint8Array | AsyncIterable<Uint8Array> }
  | { readonly name: string; readonly missing: string };

/** Message of a bundle. */
export interface BundledMessage {
  readonly id: MessageId;
  /** Whether the picture is rendered for the bundle, and the rendered mail is checked. */
  readonly isRendered: boolean;
}

/** Email client of the picture: one that shows what the mail contains, in its light colours. */
const pictureClient = findEmailClient("macos-applemail-lightmode");
/** Longest wait for the picture, in milliseconds. */
const pictureMsMax = 20_000;
/** Deliveries of one message that are listed. */
const deliveryCountMax = 100;

/**
 * Yields the files of a message one by one. A file that cannot be made is yielded with the reason. Throws `not_found` when
 * the message was deleted meanwhile.
 */
export async function* messageFiles(
  context: Context,
  principal: Principal,
  { id, isRendered }: BundledMessage,
): AsyncGenerator<MessageFile, void> {
  const message = await getMessage(context, principal, id);
  yield json("message.json", message);
  const detail = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const { faults } = message.metadata;
  if (faults !== undefined) yield json("faults.json", faults);
  const transcript = showTranscript(detail);
  if (transcript === null) yield { name: "transcript.txt", missing: "No session or request was recorded" };
  else {
    yield { name: "transcript.txt", content: Buffer.from(transcriptText(transcript)) };
    yield json("transcript.json", transcript);
  }
  yield await made("deliveries.json", async () => deliveriesOf(context, principal, message));
  const scan = await context.store.annotations.getAnnotation(id, "scan");
  if (scan !== undefined) yield { name: "scan.json", content: Buffer.from(scan) };
  if (message.type === "Email") yield* mailFiles(context, principal, { id, isRendered });
}

async function* mailFiles(
  context: Context,
  principal: Principal,
  { id, isRendered }: BundledMessage,
): AsyncGenerator<MessageFile, void> {
  const raw = orNotFound(await context.store.openRaw(id), "Message");
  yield { name: "message.eml", content: raw.read() };
  yield await made("spam.json", async () => getSpamAnalysis(context, principal, id));
  const checks = isRendered ? context : { ...context, renderer: notRendered(context) };
  yield await made("lint.json", async () => lintMessage(checks, principal, { id, isLive: false }));
  yield await picture(context, principal, { id, isRendered });
}

/** Returns a renderer that renders nothing: the bundle of a server would wait for each of its mails. */
function notRendered({ renderer }: Context): Context["renderer"] {
  return {
    problem: async () => Promise.resolve(leftOut),
    render: async (...given) => renderer.render(...given),
    compare: async (...given) => renderer.compare(...given),
    audit: async (...given) => renderer.audit(...given),
    close: async () => renderer.close(),
  };
}

const leftOut = "Left out of the bundle of a server; download the bundle of the message";

async function picture(
  context: Context,
  { keyId }: Principal,
  { id, isRendered }: BundledMessage,
): Promise<MessageFile> {
  const name = "preview.png";
  const missing = isRendered ? await context.renderer.problem() : leftOut;
  if (missing !== null || pictureClient === undefined) return { name, missing: missing ?? "There is no email client" };
  try {
    const png = await within(
      context.clock,
      pictureMsMax,
      makePreview(context, { message: id, client: pictureClient }, keyId),
    );
    return png === null ? { name, missing: "The preview was not ready in time" } : { name, content: png };
  } catch (error) {
    return { name, missing: reasonOf(error) };
  }
}

async function deliveriesOf(
  context: Context,
  principal: Principal,
  { id, server, delivery = null }: { readonly id: MessageId; readonly server: string; readonly delivery?: unknown },
): Promise<unknown> {
  const request = { server, query: { message: id }, page: 0, itemsPerPage: deliveryCountMax };
  const { deliveries, hasMore } = await listDeliveries(context, principal, request);
  return { delivery, callbacks: deliveries, hasMore };
}

function json(name: string, value: unknown): MessageFile {
  return { name, content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) };
}

async function made(name: string, make: () => Promise<unknown>): Promise<MessageFile> {
  try {
    return json(name, await make());
  } catch (error) {
    return { name, missing: reasonOf(error) };
  }
}

/** Returns the text of an error that callers may see; throws any other. */
function reasonOf(error: unknown): string {
  if (error instanceof Problem && error.code !== "internal") return error.message;
  throw error;
}
