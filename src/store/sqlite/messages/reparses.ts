import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { Reparse, ReparseClaim, ReparseStore } from "../../reparse-store.ts";
import { claims } from "../../leased-tables.ts";
import type { DueWork } from "../../../core/quarantine.ts";
import { bindTakeWork } from "../quarantine/quarantine.ts";
import { encodeBatch, type MessageBatch } from "./message-batch.ts";
import type { Thread } from "../threads/thread.ts";

/** Calls of the writer thread about emails that are queued for another parse. */
export interface ReparseCalls {
  claimReparses(claim: ReparseClaim): readonly Reparse[];
  postponeReparse(message: MessageId, dueAt: number | null): void;
  /** Implements `replaceMessage` of the store's contract for the one message of a batch. */
  replaceMessage(batch: MessageBatch): number | undefined;
}

/** Changes of reparse entries, for use inside the writer's transaction. */
export class ReparseWrites {
  readonly #add: StatementSync;
  readonly #takeWork: ReturnType<typeof bindTakeWork>;
  readonly #due: StatementSync;
  readonly #claim: StatementSync;
  readonly #postpone: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#add = database.prepare("insert or ignore into reread (message, attempts, due_at) values (?, 0, ?)");
    this.#takeWork = bindTakeWork(database, "reparses");
    this.#due = database.prepare(
      `select message, open_claims as openClaims from reread where due_at <= ? and ${claims.mayTake}
       order by due_at, message limit ? + 0`,
    );
    this.#claim = database.prepare(
      `update reread set attempts = attempts + 1, ${claims.taken}, due_at = ? where message = ?
       returning message, attempts`,
    );
    this.#postpone = database.prepare(`update reread set due_at = ?2, ${claims.ended} where message = ?1`);
    this.#remove = database.prepare("delete from reread where message = ?");
  }

  add(message: MessageId, dueAt: number): void {
    this.#add.run(message, dueAt);
  }

  claim({ now, leasedUntil, countMax }: ReparseClaim): readonly Reparse[] {
    const due = this.#due.all(now, countMax) as unknown as readonly (DueWork & Pick<Reparse, "message">)[];
    return this.#takeWork(due, now).map(({ message }) => ({
      ...(this.#claim.get(leasedUntil, message) as unknown as Reparse),
    }));
  }

  postpone(message: MessageId, dueAt: number | null): void {
    if (dueAt === null) this.#remove.run(message);
    else this.#postpone.run(message, dueAt);
  }
}

/** Queries of reparse entries. */
export class ReparseReads {
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#count = database.prepare("select count(*) as count from reread where due_at is not null");
  }

  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}

/** Creates the store of emails that are parsed again; `onReplaced` is called with the server of a message that was replaced. */
export function createReparseStore(
  writer: Thread<ReparseCalls>,
  read: <Result>(body: (reparses: ReparseReads) => Result) => Result,
  onReplaced: (server: ServerId) => void,
): ReparseStore {
  return {
    claimReparses: async (claim) => writer.call("claimReparses", [claim]),
    postponeReparse: async (message, dueAt) => writer.call("postponeReparse", [message, dueAt]),
    countReparses: async () => read((reparses) => reparses.count()),
    replaceMessage: async (message) => {
      const batch = encodeBatch([message]);
      try {
        return await writer.call("replaceMessage", [batch], [batch.bytes]);
      } finally {
        onReplaced(decodeMessageId(message.id).server);
      }
    },
  };
}
