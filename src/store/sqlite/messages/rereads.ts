import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessageId } from "../../../core/ids.ts";
import type { Reread, RereadClaim, RereadStore } from "../../reread-store.ts";
import type { WriterCalls } from "../threads/calls.ts";
import { wrap, type Parcel } from "./message-batch.ts";
import type { Thread } from "../threads/thread.ts";

/** What the writer's thread can be asked about mails to be read again. */
export interface RereadCalls {
  claimRereads(claim: RereadClaim): readonly Reread[];
  postponeReread(message: MessageId, dueAt: number | null): void;
  /** As `replaceMessage` of the contract, for the one message of a parcel. */
  replaceMessage(parcel: Parcel): number | undefined;
}

/** Changes of entries, for use inside the writer's transaction. */
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

/** Questions about mails to be read again. */
export class RereadReads {
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#count = database.prepare("select count(*) as count from reread");
  }

  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}

/** The part of the store over a writer's thread and a connection to read from; `onReplaced` follows every replacement. */
export function createRereadStore(
  writer: Thread<WriterCalls>,
  read: <Result>(body: (rereads: RereadReads) => Result) => Result,
  onReplaced: (message: MessageId) => void,
): RereadStore {
  return {
    claimRereads: async (claim) => writer.call("claimRereads", [claim]),
    postponeReread: async (message, dueAt) => writer.call("postponeReread", [message, dueAt]),
    countRereads: async () => read((rereads) => rereads.count()),
    replaceMessage: async (message) => {
      const parcel = wrap([message]);
      try {
        return await writer.call("replaceMessage", [parcel], [parcel.bytes]);
      } finally {
        onReplaced(message.id);
      }
    },
  };
}
