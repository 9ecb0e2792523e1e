import type { ServerId } from "../../core/ids.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { hasServer } from "./key-rows.ts";

/** Statements about zone files of servers. Their guarantees are those of `AccountStore`. */
export class ZoneRows {
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  *putZone(server: ServerId, zone: string): Query<boolean> {
    const { serverColumn, toServer, toText } = this.#dialect;
    if (!(yield* hasServer(this.#dialect, server))) return false;
    yield* rowsOf(
      `insert into dns_zone (${serverColumn}, zone) values ($1, $2)
       on conflict (${serverColumn}) do update set zone = excluded.zone`,
      [toServer(server), toText(zone)],
    );
    return true;
  }

  *getZone(server: ServerId): Query<string | undefined> {
    const { serverColumn, toServer, fromText } = this.#dialect;
    const sql = `select zone from dns_zone where ${serverColumn} = $1`;
    const [row] = yield* rowsOf<{ readonly zone: string }>(sql, [toServer(server)]);
    return row && fromText(row.zone);
  }

  *removeZone(server: ServerId): Query<boolean> {
    const { serverColumn, toServer } = this.#dialect;
    const sql = `delete from dns_zone where ${serverColumn} = $1 returning 1 as one`;
    return (yield* rowsOf(sql, [toServer(server)])).length > 0;
  }
}
