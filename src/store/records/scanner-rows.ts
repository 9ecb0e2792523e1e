import type { ServerId } from "../../core/ids.ts";
import { removeScans } from "../queues/added-work.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { requireServer } from "./key-rows.ts";
import { nextVersion, type VersionedRow } from "./versions.ts";

/** Settings of the scanner of a server as JSON; null for one that was removed. */
export interface VersionedScanner extends VersionedRow {
  readonly server: ServerId;
  readonly settings: string | null;
}

/** Statements about link scanners. Their guarantees are those of `ScannerStore`. */
export class ScannerRows extends DialectRows {
  *findScanner(server: ServerId): Query<string | null> {
    const sql = "select settings from scanner where server = $1";
    return (yield* rowsOf<Pick<VersionedScanner, "settings">>(sql, [server]))[0]?.settings ?? null;
  }

  /** Returns the scanners that have changed since a version, in the order of their versions. */
  *listChangedSince(version: number): Query<readonly VersionedScanner[]> {
    const sql = "select server, version, settings from scanner where version > $1 order by version";
    return yield* rowsOf<VersionedScanner>(sql, [version]);
  }

  *setScanner(server: ServerId, settingsJson: string | null): Query<void> {
    yield* requireServer(this.dialect, server);
    if (settingsJson === null) yield* this.removeScanner(server);
    else yield* this.#put(server, settingsJson);
  }

  /** Removes the scanner of a server and its queued scans. The row stays, so that all nodes read it. */
  *removeScanner(server: ServerId): Query<void> {
    if ((yield* this.findScanner(server)) !== null) yield* this.#put(server, null);
    yield* removeScans(server);
  }

  *#put(server: ServerId, settings: string | null): Query<void> {
    const version = yield* nextVersion(this.dialect, "scanner_version", "scanner");
    yield* rowsOf(
      `insert into scanner (server, version, settings) values ($1, $2, $3)
       on conflict (server) do update set version = excluded.version, settings = excluded.settings`,
      [server, version, settings],
    );
  }
}
