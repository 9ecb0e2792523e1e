import type { Principal } from "../../core/api-key.ts";
import { type MessageId, decodeMessageId } from "../../core/ids.ts";
import {
  type MaskedValue,
  snapshotOptionsSchema,
  type ScreenshotOptions,
  type ScreenshotReport,
  baselineBytesMax,
  screenshotOptionsSchema,
  thresholdDefault,
} from "../../core/snapshot.ts";
import { decodeStrictly } from "../../core/strict-decoder.ts";
import type { Context } from "../context.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { type StoredMessageDetail, decodeDetail, decodeExcerpt } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";
import { invalidField } from "../../core/errors.ts";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import {
  type EmailClient,
  emailClients,
  findScreenshotClient,
  screenshotClientNames,
} from "../../previews/email-client.ts";
import { readPngHeader } from "../../previews/png.ts";
import { getRawMessage } from "../services/reading/get-message.ts";

/** Recipients whose addresses are masked; a mail for more is no mail of a test. */
const maskedRecipientCountMax = 50;

/**
 * Returns the snapshot of a message as `snapshotMessage` writes it; the recipients and the id of the server are masked too.
 * `body` has the options. Rejects with `not_found`, with a 400 that names every wrong option, and as the inspector does.
 */
export async function getSnapshot(
  context: Context,
  principal: Principal,
  { id: idText, body }: { readonly id: string; readonly body: unknown },
): Promise<string> {
  const options = decodeStrictly(snapshotOptionsSchema, body ?? {});
  const id = openMessageId(principal, idText);
  const stored = orNotFound(await context.store.getDetail(id), "Message");
  const { message } = decodeDetail(stored);
  const { sizeBytes } = decodeExcerpt(stored);
  const known = valuesOf(message, id);
  const inspection = { kind: "snapshot", source: { message, known }, options } as const;
  return inspectStored(context, { id, sizeBytes, inspection }, callerOf(principal, context));
}

/** Returns the values that the service knows to differ: recipients and server. Rejects with `not_found`. */
async function knownValues(
  { store }: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<readonly MaskedValue[]> {
  const id = openMessageId(principal, idText);
  return valuesOf(decodeDetail(orNotFound(await store.getDetail(id), "Message")).message, id);
}

function valuesOf(message: StoredMessageDetail, id: MessageId): readonly MaskedValue[] {
  return [...recipientsOf(message), { name: "server", value: decodeMessageId(id).server }];
}

function recipientsOf({ to, cc, bcc, metadata }: StoredMessageDetail): readonly MaskedValue[] {
  const contacts = [...metadata.rcptTo, ...to, ...cc, ...bcc].map(({ email, phone }) => email ?? phone ?? "");
  const distinct = [...new Set(contacts)].filter((value) => value !== "").slice(0, maskedRecipientCountMax);
  return distinct.map((value) => ({ name: "recipient", value }));
}

/**
 * Renders a mail in an email client, masked as its snapshot, and compares the picture with a baseline. `body` has the options.
 * Rejects with `not_found`, also for SMS; with a 400 that names every wrong option, on `client` without a browser; and as the
 * renderer does.
 */
export async function matchScreenshot(
  context: Context,
  principal: Principal,
  { id, body }: { readonly id: string; readonly body: unknown },
): Promise<ScreenshotReport> {
  const options = decodeStrictly(screenshotOptionsSchema, body ?? {});
  openMessageId(principal, id);
  await getRawMessage(context, principal, id);
  const client = clientOf(options);
  const baseline = options.baseline === undefined ? null : readBaseline(options.baseline);
  const masked = [...(options.mask ?? []), ...(await knownValues(context, principal, id))];
  const problem = await context.renderer.problem();
  if (problem !== null) throw invalidField("client", problem, "no_browser");
  const { threshold = thresholdDefault, maxChangedPixels = 0 } = options;
  const compared = await context.renderer.compare(
    async () => getRawMessage(context, principal, id),
    { client, comparison: { masked, baseline, threshold, maxChangedPixels } },
    callerOf(principal, context),
  );
  if (compared === null) throw invalidBaseline();
  const { picture, difference, ...report } = compared;
  return {
    ...report,
    client: client.label,
    picture: report.isMatch ? null : toBase64(picture),
    difference: difference === null ? null : toBase64(difference),
  };
}

function clientOf({ client: name = "gmail", dark = false }: ScreenshotOptions): EmailClient {
  const client = findScreenshotClient(name, dark);
  if (client !== undefined) return client;
  const known = [...screenshotClientNames, ...emailClients.map(({ label }) => label)].join(", ");
  throw invalidField("client", `No such email client; there are ${known}`, "unknown");
}

function readBaseline(text: string): Uint8Array {
  const bytes = decodeStrictBase64(text);
  if (bytes === null || bytes.byteLength > baselineBytesMax || readPngHeader(bytes) === null) throw invalidBaseline();
  return bytes;
}

function invalidBaseline(): Error {
  return invalidField(
    "baseline",
    "Must be the base64 of a PNG that this endpoint returned, of at most 8 MiB and 16 megapixels",
  );
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
