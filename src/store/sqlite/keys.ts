import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ApiKey } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";

const keyColumns = "id, name, hash, server, created_at as createdAt";

/** Questions about keys. */
export class KeyReads {
  readonly #byHash: StatementSync;
  readonly #all: StatementSync;

  constructor(database: DatabaseSync) {
    this.#byHash = database.prepare(`select ${keyColumns} from api_key where hash = ?`);
    this.#all = database.prepare(`select ${keyColumns} from api_key order by created_at, id`);
  }

  find(hash: string): ApiKey | undefined {
    const row = this.#byHash.get(hash);
    return row === undefined ? undefined : { ...(row as unknown as ApiKey) };
  }

  list(): readonly ApiKey[] {
    return this.#all.all().map((row) => ({ ...(row as unknown as ApiKey) }));
  }
}

/** Changes of keys, for use inside the writer's transaction. */
export class KeyWrites {
  readonly #taken: StatementSync;
  readonly #server: StatementSync;
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#taken = database.prepare("select 1 from api_key where id = ? or hash = ?");
    this.#server = database.prepare("select 1 from server where id = ?");
    this.#insert = database.prepare("insert into api_key (id, name, hash, server, created_at) values (?, ?, ?, ?, ?)");
    this.#remove = database.prepare("delete from api_key where id = ?");
  }

  add(key: ApiKey): void {
    if (key.server !== null && this.#server.get(key.server) === undefined) throw new Problem("not_found");
    if (this.#taken.get(key.id, key.hash) !== undefined) throw new Problem("conflict");
    this.#insert.run(key.id, key.name, key.hash, key.server, key.createdAt);
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes > 0;
  }
}
