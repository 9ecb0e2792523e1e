import type { Context } from "../context.ts";
/** Bundles: what one attaches to a failing test, as a ZIP archive. */
import { summariesOf, decodeDetail } from "../services/reading/stored-detail.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Direction, Summary } from "../../core/message.ts";
import { openMessageId, openServer, orNotFound } from "../services/security/access.ts";
import { type ArchiveFile, folderOf, zipArchive } from "./zip-archive.ts";
import { messageFiles } from "./message-files.ts";

/** Bounds of a bundle: messages, bytes before compression, and milliseconds in which messages are started. */
export interface BundleBounds {
  readonly countMax: number;
  readonly bytesMax: number;
  readonly msMax: number;
}

/** Bounds of the bundle of a server. */
export const bundleBounds: BundleBounds = { countMax: 200, bytesMax: 512 * 1024 * 1024, msMax: 120_000 };
const itemsPerPage = 50;

type BundledSummary = Pick<Summary, "id" | "server" | "subject" | "received" | "type">;

interface BundleRequest {
  /** Subject of the bundle, for the manifest. */
  readonly of: { readonly message: MessageId } | { readonly server: ServerId; readonly since: string | null };
  readonly messages: AsyncIterable<BundledSummary>;
  readonly isRendered: boolean;
  readonly bounds: BundleBounds;
}

/** Returns the bundle of a message. Rejects with `not_found`. */
export async function bundleMessage(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<AsyncIterable<Uint8Array>> {
  const id = openMessageId(principal, idText);
  const { message } = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const request: BundleRequest = {
    of: { message: id },
    messages: only(message),
    isRendered: true,
    bounds: bundleBounds,
  };
  return zipArchive(bundleFiles(context, principal, request));
}

/**
 * Returns the bundle of the newest messages of a server, received and sent, within the bounds.
 * Rejects with `not_found`.
 */
export async function bundleServer(
  context: Context,
  principal: Principal,
  {
    server: idText,
    since,
    bounds = bundleBounds,
  }: { readonly server: string; readonly since: number | null; readonly bounds?: BundleBounds },
): Promise<AsyncIterable<Uint8Array>> {
  const { id: server } = await openServer(context, principal, idText);
  const of = { server, since: since === null ? null : new Date(since).toISOString() };
  const request: BundleRequest = { of, messages: newestOf(context, server, since), isRendered: false, bounds };
  return zipArchive(bundleFiles(context, principal, request));
}

async function* only(message: BundledSummary): AsyncGenerator<BundledSummary, void> {
  await Promise.resolve();
  yield message;
}

/** Yields received and sent messages, the newest first. */
async function* newestOf(
  context: Context,
  server: ServerId,
  since: number | null,
): AsyncGenerator<BundledSummary, void> {
  const [received, sent] = (["Received", "Sent"] as const).map((direction) =>
    pagesOf(context, server, { direction, since }),
  );
  if (received === undefined || sent === undefined) return;
  let [first, second] = [await received.next(), await sent.next()];
  while (first.done !== true || second.done !== true) {
    const isFirst = second.done === true || (first.done !== true && first.value.received >= second.value.received);
    if (isFirst && first.done !== true) {
      yield first.value;
      first = await received.next();
    } else if (second.done !== true) {
      yield second.value;
      second = await sent.next();
    }
  }
}

async function* pagesOf(
  { store }: Context,
  server: ServerId,
  { direction, since }: { readonly direction: Direction; readonly since: number | null },
): AsyncGenerator<BundledSummary, void> {
  for (let before: MessageId | undefined; ;) {
    const page = { page: 0, itemsPerPage, receivedAfter: since, direction, afterSequence: null };
    const { json } = await store.listMessages(server, before === undefined ? page : { ...page, before });
    const summaries = summariesOf({ json });
    yield* summaries;
    before = summaries.at(-1)?.id;
    if (before === undefined) return;
  }
}

interface ManifestMessage {
  readonly id: MessageId;
  readonly folder: string;
  readonly type: string;
  readonly subject: string;
  readonly received: string;
  readonly files: readonly string[];
  readonly missing: readonly { readonly file: string; readonly reason: string }[];
}

async function* bundleFiles(
  context: Context,
  principal: Principal,
  { of, messages, isRendered, bounds }: BundleRequest,
): AsyncGenerator<ArchiveFile, void> {
  const createdAt = context.clock.now();
  const endsAtMs = context.clock.monotonicMs() + bounds.msMax;
  const listed: ManifestMessage[] = [];
  let bytes = 0;
  let incomplete: string | null = null;
  yield { path: "README.txt", modifiedAt: createdAt, content: Buffer.from(readme) };
  for await (const summary of messages) {
    await mainTurns.next();
    incomplete = boundOf(bounds, { count: listed.length, bytes, isLate: context.clock.monotonicMs() >= endsAtMs });
    if (incomplete !== null) break;
    const folder = folderOf(listed.length + 1, summary);
    const entry = {
      ...manifestEntry(summary, folder),
      files: [] as string[],
      missing: [] as ManifestMessage["missing"][number][],
    };
    listed.push(entry);
    for await (const file of filesUnlessDeleted(context, principal, { id: summary.id, isRendered })) {
      if ("missing" in file) entry.missing.push({ file: file.name, reason: file.missing });
      else {
        entry.files.push(file.name);
        const content = counted(file.content, (length) => (bytes += length));
        yield { path: `${folder}/${file.name}`, modifiedAt: Date.parse(summary.received), content };
      }
    }
  }
  const manifest = { format: "restante-bundle", version: 1, createdAt: new Date(createdAt).toISOString(), ...of };
  const end = { isComplete: incomplete === null, incomplete, messages: listed };
  const content = Buffer.from(`${JSON.stringify({ ...manifest, ...end }, null, 2)}\n`);
  yield { path: "manifest.json", modifiedAt: createdAt, content };
}

function manifestEntry({ id, type, subject, received }: BundledSummary, folder: string) {
  return { id, folder, type, subject, received };
}

function boundOf(
  { countMax, bytesMax, msMax }: BundleBounds,
  { count, bytes, isLate }: { readonly count: number; readonly bytes: number; readonly isLate: boolean },
): string | null {
  if (count >= countMax) return `Only the newest ${countMax} messages are included`;
  if (bytes >= bytesMax) return `Messages beyond ${bytesMax} bytes are not included`;
  return isLate ? `Messages that were not reached within ${msMax / 1000} s are not included` : null;
}

/** Yields the files of a message; ends with a note when it is deleted meanwhile, or damaged. */
async function* filesUnlessDeleted(
  context: Context,
  principal: Principal,
  message: Parameters<typeof messageFiles>[2],
): ReturnType<typeof messageFiles> {
  try {
    yield* messageFiles(context, principal, message);
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "internal") throw error;
    yield { name: "message.json", missing: error.message };
  }
}

async function* counted(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  onRead: (length: number) => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    onRead(chunk.length);
    yield chunk;
  }
}

const readme = `Bundle of messages from restante

manifest.json     what the bundle contains, and what is missing and why
Each message has a folder:
message.json      the message as the API returns it
message.eml       the mail as it was received, with its attachments
transcript.txt    SMTP session or HTTP request by which it came, without secrets
deliveries.json   delivery of a sent message, and requests to webhooks
faults.json       fault rules that applied to the message
scan.json         requests of the link scanner
spam.json         spam analysis
lint.json         lint report
preview.png       picture of the mail

The content comes from the senders of the messages: open it with care.
`;
