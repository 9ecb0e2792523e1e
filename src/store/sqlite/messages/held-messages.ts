/** Held messages: accepted, and invisible until they arrive. They are rows of the table of scheduled messages. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import type { ServerUsage } from "../../../core/server-quota.ts";

/** Sizes of held messages. */
export class HeldReads {
  readonly #measure: StatementSync;
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#measure = database.prepare(
      `select count(*) as messages, coalesce(sum(held_bytes), 0) as bytes from scheduled_email
       where server = ? and held_bytes is not null`,
    );
    this.#count = database.prepare("select count(*) as count from scheduled_email where held_bytes is not null");
  }

  /** Returns the number and the bytes of a server's held messages. */
  measure(server: ServerId): ServerUsage {
    const row = this.#measure.get(server) as unknown as ServerUsage;
    return { messages: row.messages, bytes: row.bytes };
  }

  /** Counts the held messages of all servers. */
  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}

/** Deletion of held messages, for use inside the writer's transaction. */
export class HeldWrites {
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    // Due at once, and removed by the next claims in small steps: their raw bytes may be large.
    this.#remove = database.prepare(
      `update scheduled_email set is_deleted = 1, held_bytes = null, lease = null, due_at = 0, open_claims = 0, quarantined_at = null
       where server = ? and held_bytes is not null`,
    );
  }

  /** Deletes the held messages of a server. */
  removeOfServer(server: ServerId): void {
    this.#remove.run(server);
  }
}
