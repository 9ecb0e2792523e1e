import type { ApiKey } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { Database } from "./database.ts";
import { serverIdOf, serverNumberOf } from "./id-slots.ts";
import { removeKeys } from "./remove-keys.ts";
import { lockServer } from "./servers.ts";
import { fromText, toText } from "./text.ts";

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly server_id: number | null;
  readonly created_at: number;
}

const columns = "id, name, hash, server_id, created_at";

/** The keys that open servers. */
export class Keys {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ id, name, hash, server, createdAt }: ApiKey): Promise<void> {
    await this.#database.transact(async (session) => {
      if (server !== null && (await lockServer(session, server)) === undefined) throw new Problem("not_found");
      const number = server === null ? null : serverNumberOf(server);
      const [row] = await session.query(
        `insert into api_key (${columns}) values ($1, $2, $3, $4, $5) on conflict do nothing returning id`,
        [toText(id), toText(name), toText(hash), number, createdAt],
      );
      if (row === undefined) throw new Problem("conflict");
    });
  }

  /** Oldest first. */
  async list(): Promise<readonly ApiKey[]> {
    return (await this.#database.query<KeyRow>(`select ${columns} from api_key order by created_at, id`)).map(toKey);
  }

  async find(hash: string): Promise<ApiKey | undefined> {
    const [row] = await this.#database.query<KeyRow>(`select ${columns} from api_key where hash = $1`, [toText(hash)]);
    return row === undefined ? undefined : toKey(row);
  }

  async remove(id: string): Promise<boolean> {
    return await this.#database.transact(async (session) => (await removeKeys(session, { id: toText(id) })) > 0);
  }
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: fromText(row.id),
    name: fromText(row.name),
    hash: fromText(row.hash),
    server: row.server_id === null ? null : serverIdOf(row.server_id),
    createdAt: row.created_at,
  };
}
