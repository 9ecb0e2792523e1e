import { mainTurns } from "../../core/shared-turns.ts";
import type { Principal } from "../../core/api-key.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { noMarks, type Marks } from "../../core/marks.ts";
import type { MarkedMessage } from "../../store/mark-store.ts";
import { openMessageId } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { codesOf } from "../services/reading/email-bodies.ts";
import { decodeDetail, decodeExcerpt, showBodies, type BodyReading } from "../services/reading/stored-detail.ts";

/** Excerpt of a message, which list rows show beside its summary: what its content implies, and its marks. */
export interface MessageExcerpt extends Content, Marks {
  readonly id: MessageId;
  /** Number of the last change of the marks; 0 when there was none. */
  readonly sequence: number;
}

/** Part of an excerpt that never changes. */
interface Content {
  /** Distinct one-time codes in order of appearance, HTML before text. */
  readonly codes: readonly string[];
  /** Size of the raw mail in bytes; 0 for SMS. */
  readonly sizeBytes: number;
  /** Number of attachments that are shown within the text. */
  readonly inline: number;
  /** Names of the first attachments, the beginning of long ones. */
  readonly files: readonly string[];
  /** Tags that a provider's API was given, at most ten; those of {@link Marks} are apart. */
  readonly providerTags: readonly string[];
}

/** Messages that are read concurrently over all requests; one turn of the event loop reads no more. */
const readCountMax = 4;
const turns = new FairQueue({
  runningCountMax: readCountMax,
  waitingPerKeyCountMax: 500,
  waitingCountMax: 5000,
});

/**
 * Returns excerpts of several messages in the requested order, without deleted ones. Rejects with `not_found` when the
 * principal may not access one of the ids, and as {@link showBodies} does.
 */
export async function excerptMessages(
  context: Pick<Context, "store" | "bodies"> & CallerPresence,
  principal: Principal,
  idTexts: readonly string[],
): Promise<readonly MessageExcerpt[]> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const contents: (Content & { readonly id: MessageId })[] = [];
  for (const id of ids) {
    const { key, signal } = reading.caller;
    const content = await turns.run(key, async () => contentAt(context, id, reading), signal);
    if (content !== undefined) contents.push({ id, ...content });
  }
  const marked = await readMarks(context, ids);
  return contents.map((content) => {
    const { marks, sequence } = marked.get(content.id) ?? { marks: noMarks, sequence: 0 };
    return { ...content, ...marks, sequence };
  });
}

/** Reads the marks of messages, those of each server together. */
async function readMarks(
  { store }: Pick<Context, "store">,
  ids: readonly MessageId[],
): Promise<ReadonlyMap<MessageId, MarkedMessage>> {
  const byServer = Map.groupBy(ids, (id) => decodeMessageId(id).server);
  const marked = await Promise.all(Array.from(byServer, async ([server, own]) => store.marks.readMarks(server, own)));
  return new Map(marked.flat().map((one) => [one.id, one]));
}

async function contentAt(
  { store }: Pick<Context, "store">,
  id: MessageId,
  reading: BodyReading,
): Promise<Content | undefined> {
  // The embedded store reads and decompresses on this thread: at most a few messages in each turn of the event loop.
  await mainTurns.next();
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const { codes, sizeBytes: notedBytes, inline, files, tags: providerTags } = decodeExcerpt(bytes);
  const parts = { inline, files, providerTags };
  if (codes !== null) return { codes, sizeBytes: notedBytes, ...parts };
  const raw = await store.getRaw(id);
  if (raw === undefined) return undefined;
  const sizeBytes = raw.byteLength;
  return { codes: codesOf(await showBodies(decodeDetail(bytes), raw, reading)), sizeBytes, ...parts };
}
