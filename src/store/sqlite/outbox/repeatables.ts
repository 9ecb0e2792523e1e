import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Repeatable } from "../../permission-stores.ts";

const columns = "scope, key, fingerprint, message, at";

/** Queries of idempotent requests. */
export class RepeatableReads {
  readonly #find: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(`select ${columns} from repeatable where scope = ? and key = ?`);
  }

  find(scope: string, key: string): Repeatable | undefined {
    const row = this.#find.get(scope, key);
    return row === undefined ? undefined : { ...(row as unknown as Repeatable) };
  }
}

/** Calls of the writer thread about idempotent requests. */
export interface RepeatableCalls {
  forgetRepeatables(before: number): number;
}

/** Changes of idempotent requests, for use inside the writer's transaction. */
export class RepeatableWrites implements RepeatableCalls {
  readonly #reads: RepeatableReads;
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: DatabaseSync) {
    this.#reads = new RepeatableReads(database);
    this.#insert = database.prepare(`insert into repeatable (${columns}) values (?, ?, ?, ?, ?)`);
    this.#forget = database.prepare("delete from repeatable where at < ?");
  }

  /** Whether another message has the same scope and key. */
  isTaken({ scope, key, message }: Repeatable): boolean {
    const found = this.#reads.find(scope, key);
    return found !== undefined && found.message !== message;
  }

  add({ scope, key, fingerprint, message, at }: Repeatable): void {
    if (this.#reads.find(scope, key) === undefined) this.#insert.run(scope, key, fingerprint, message, at);
  }

  forgetRepeatables(before: number): number {
    return Number(this.#forget.run(before).changes);
  }
}
