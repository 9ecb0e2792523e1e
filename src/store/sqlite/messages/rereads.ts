import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessageId } from "../../../core/ids.ts";
import type { Reread, RereadClaim, RereadStore } from "../../reread-store.ts";
import { encodeBatch, type MessageBatch } from "./message-batch.ts";
import type { Thread } from "../threads/thread.ts";

/** Calls of the writer thread about emails that are queued for another parse. */
export interface RereadCalls {
  claimRereads(claim: RereadClaim): readonly Reread[];
  postponeReread(message: MessageId, dueAt: number | null): void;
  /** Implements `replaceMessage` of the store's contract for the one message of a batch. */
  replaceMessage(batch: MessageBatch): number | undefined;
}

/** Changes of reread entries, for use inside the writer's transaction. */
export class RereadWrites {
  readonly #add: StatementSync;
  readonly #claim: StatementSync;
  readonly #postpone: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#add = database.prepare("insert or ignore into reread (message, attempts, due_at) values (?, 0, ?)");
    this.#claim = database.prepare(
      `update reread set attempts = attempts + 1, due_at = ?2
       where message in (select message from reread where due_at <= ?1 order by due_at, message limit ?3)
       returning message, attempts`,
    );
    this.#postpone = database.prepare("update reread set due_at = ?2 where message = ?1");
    this.#remove = database.prepare("delete from reread where message = ?");
  }

  add(message: MessageId, dueAt: number): void {
    this.#add.run(message, dueAt);
  }

  claim({ now, leasedUntil, countMax }: RereadClaim): readonly Reread[] {
    return this.#claim.all(now, leasedUntil, countMax).map((row) => ({ ...(row as unknown as Reread) }));
  }

  postpone(message: MessageId, dueAt: number | null): void {
    if (dueAt === null) this.#remove.run(message);
    else this.#postpone.run(message, dueAt);
  }
}

/** Queries of reread entries. */
export class RereadReads {
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#count = database.prepare("select count(*) as count from reread");
  }

  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}

/** Creates the store of reread entries; `onReplaced` is called after every replacement. */
export function createRereadStore(
  writer: Thread<RereadCalls>,
  read: <Result>(body: (rereads: RereadReads) => Result) => Result,
  onReplaced: (message: MessageId) => void,
): RereadStore {
  return {
    claimRereads: async (claim) => writer.call("claimRereads", [claim]),
    postponeReread: async (message, dueAt) => writer.call("postponeReread", [message, dueAt]),
    countRereads: async () => read((rereads) => rereads.count()),
    replaceMessage: async (message) => {
      const batch = encodeBatch([message]);
      try {
        return await writer.call("replaceMessage", [batch], [batch.bytes]);
      } finally {
        onReplaced(message.id);
      }
    },
  };
}
