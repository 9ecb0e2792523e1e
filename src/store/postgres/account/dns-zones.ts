import type { ServerId } from "../../../core/ids.ts";
import type { Database } from "../connection/database.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { lockServer } from "./servers.ts";
import { fromText, toText } from "../connection/text.ts";

/** Zone files of servers. */
export class Zones {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async put(server: ServerId, zone: string): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      if ((await lockServer(session, server)) === undefined) return false;
      await session.query(
        `insert into dns_zone (server_id, zone) values ($1, $2)
         on conflict (server_id) do update set zone = excluded.zone`,
        [serverNumberOf(server), toText(zone)],
      );
      return true;
    });
  }

  async get(server: ServerId): Promise<string | undefined> {
    const [row] = await this.#database.query<{ zone: string }>("select zone from dns_zone where server_id = $1", [
      serverNumberOf(server),
    ]);
    return row === undefined ? undefined : fromText(row.zone);
  }

  async remove(server: ServerId): Promise<boolean> {
    const rows = await this.#database.query("delete from dns_zone where server_id = $1 returning server_id", [
      serverNumberOf(server),
    ]);
    return rows.length > 0;
  }
}
