import { Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";

/** Messages to delete. */
export interface MessagesOfServer {
  readonly server: ServerId;
  readonly ids: readonly MessageId[];
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Result of deleting several messages. */
export interface EachDeletion {
  /** Messages that existed. */
  readonly deleted: number;
  /** Messages that could not be deleted, with the reasons. */
  readonly failed: readonly { readonly id: MessageId; readonly problem: Problem }[];
}

/** Deletions under way at once, so that they share commits. */
const concurrentCount = 50;

/** Deletes messages of a server in order until the caller disconnects. Rejects with errors other than a {@link Problem}. */
export async function deleteEach(
  { store, events }: Pick<Context, "store" | "events">,
  { server, ids, signal }: MessagesOfServer,
): Promise<EachDeletion> {
  let deleted = 0;
  const failed: { id: MessageId; problem: Problem }[] = [];
  const deleteOne = async (id: MessageId): Promise<void> => {
    const sequence = await store.deleteMessage(id);
    if (sequence === undefined) return;
    deleted += 1;
    events.publish({ server, change: { sequence, kind: "deleted", id }, message: null });
  };
  for (let at = 0; at < ids.length && !signal.aborted; at += concurrentCount) {
    const batch = ids.slice(at, at + concurrentCount).map(async (id) =>
      deleteOne(id).catch((problem: unknown) => {
        if (!(problem instanceof Problem)) throw problem;
        failed.push({ id, problem });
      }),
    );
    await Promise.all(batch);
  }
  return { deleted, failed };
}
