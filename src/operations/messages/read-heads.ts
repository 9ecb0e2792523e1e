import { mainTurns } from "../../core/shared-turns.ts";
import type { Principal } from "../../core/api-key.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import type { MessageId } from "../../core/ids.ts";
import { openMessageId } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { decodeDetail, decodeExcerpt, type StoredDetail } from "../services/reading/stored-detail.ts";

/** Stored facts about a message, without its bodies. */
export interface MessageHead {
  readonly id: MessageId;
  /** Detail without bodies: `html` and `text` are null. */
  readonly detail: StoredDetail;
  /** Size of the raw mail in bytes; 0 for an SMS. */
  readonly sizeBytes: number;
}

/** Messages that are read concurrently over all requests; one turn of the event loop reads no more. */
const readCountMax = 4;
const turns = new FairQueue({ runningCountMax: readCountMax, waitingPerKeyCountMax: 500, waitingCountMax: 5000 });

/**
 * Yields the heads of messages in the requested order, one at a time, without those of deleted messages. Throws `not_found`
 * when the principal may not access one of the ids, and `too_many_requests` when too many wait.
 */
export async function* readHeads(
  context: Pick<Context, "store"> & CallerPresence,
  principal: Principal,
  idTexts: readonly string[],
): AsyncGenerator<MessageHead, void> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const { key, signal } = callerOf(principal, context);
  for (const id of ids) {
    const head = await turns.run(key, async () => readHead(context, id), signal);
    if (head !== undefined) yield head;
  }
}

async function readHead({ store }: Pick<Context, "store">, id: MessageId): Promise<MessageHead | undefined> {
  // The embedded store reads and decompresses on this thread: at most a few messages in each turn of the event loop.
  await mainTurns.next();
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const detail = decodeDetail(bytes);
  const { sizeBytes } = decodeExcerpt(bytes);
  return { id, detail: { ...detail, message: { ...detail.message, html: null, text: null } }, sizeBytes };
}
