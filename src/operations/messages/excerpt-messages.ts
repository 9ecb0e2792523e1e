import { setImmediate as nextTurn } from "node:timers/promises";
import type { Principal } from "../../core/api-key.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import type { MessageId } from "../../core/ids.ts";
import { openMessageId } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { codesOf } from "../services/reading/email-bodies.ts";
import { decodeDetail, decodeExcerpt, showBodies, type BodyReading } from "../services/reading/stored-detail.ts";

/** Excerpt of a message, which list rows show beside its summary. */
export interface MessageExcerpt {
  readonly id: MessageId;
  /** Distinct one-time codes in order of appearance, HTML before text. */
  readonly codes: readonly string[];
  /** Size of the raw mail in bytes; 0 for SMS. */
  readonly sizeBytes: number;
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
  const excerpts: MessageExcerpt[] = [];
  for (const id of ids) {
    const { key, signal } = reading.caller;
    const excerpt = await turns.run(key, async () => excerptAt(context, id, reading), signal);
    if (excerpt !== undefined) excerpts.push(excerpt);
  }
  return excerpts;
}

async function excerptAt(
  { store }: Pick<Context, "store">,
  id: MessageId,
  reading: BodyReading,
): Promise<MessageExcerpt | undefined> {
  // The embedded store reads and decompresses on this thread: at most a few messages in each turn of the event loop.
  await nextTurn();
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const noted = decodeExcerpt(bytes);
  if (noted !== undefined && noted.codes !== null) return { id, codes: noted.codes, sizeBytes: noted.sizeBytes };
  const raw = await store.getRaw(id);
  if (raw === undefined) return undefined;
  const sizeBytes = raw.byteLength;
  return { id, codes: codesOf(await showBodies(decodeDetail(bytes), raw, reading)), sizeBytes };
}
