import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";

/** Queries of the zones of servers. */
export class ZoneReads {
  readonly #one: StatementSync;

  constructor(database: DatabaseSync) {
    this.#one = database.prepare("select zone from dns_zone where server = ?");
  }

  get(server: ServerId): string | undefined {
    return this.#one.get(server)?.["zone"] as string | undefined;
  }
}

/** Changes of zones, for use inside the writer's transaction. A trigger removes the zone of a deleted server. */
export class ZoneWrites {
  readonly #put: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `insert into dns_zone (server, zone) select id, ?2 from server where id = ?1
       on conflict (server) do update set zone = excluded.zone`,
    );
    this.#remove = database.prepare("delete from dns_zone where server = ?");
  }

  put(server: ServerId, zone: string): boolean {
    return this.#put.run(server, zone).changes > 0;
  }

  remove(server: ServerId): boolean {
    return this.#remove.run(server).changes > 0;
  }
}
