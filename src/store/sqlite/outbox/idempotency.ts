import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { IdempotentRequest } from "../../permission-stores.ts";

const columns = "scope, key, fingerprint, message, at";

/** Queries of idempotent requests. */
export class IdempotencyReads {
  readonly #find: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(`select ${columns} from repeatable where scope = ? and key = ?`);
  }

  find(scope: string, key: string): IdempotentRequest | undefined {
    const row = this.#find.get(scope, key);
    return row === undefined ? undefined : { ...(row as unknown as IdempotentRequest) };
  }
}

/** Calls of the writer thread about idempotent requests. */
export interface IdempotencyCalls {
  deleteIdempotentRequests(before: number): number;
}

/** Changes of idempotent requests, for use inside the writer's transaction. */
export class IdempotencyWrites implements IdempotencyCalls {
  readonly #reads: IdempotencyReads;
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: DatabaseSync) {
    this.#reads = new IdempotencyReads(database);
    this.#insert = database.prepare(`insert into repeatable (${columns}) values (?, ?, ?, ?, ?)`);
    this.#forget = database.prepare("delete from repeatable where at < ?");
  }

  /** Whether another message has the same scope and key. */
  isTaken({ scope, key, message }: IdempotentRequest): boolean {
    const found = this.#reads.find(scope, key);
    return found !== undefined && found.message !== message;
  }

  add({ scope, key, fingerprint, message, at }: IdempotentRequest): void {
    if (this.#reads.find(scope, key) === undefined) this.#insert.run(scope, key, fingerprint, message, at);
  }

  deleteIdempotentRequests(before: number): number {
    return Number(this.#forget.run(before).changes);
  }
}
