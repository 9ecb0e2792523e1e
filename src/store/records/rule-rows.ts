/** Statements about the rules for mail that arrives: fault rules and link scanners. */
import { decideFault, type FaultChange, greylistKey } from "../../core/fault-engine.ts";
import {
  newFaultState,
  type FaultDecision,
  type FaultHitRecord,
  type FaultOccurrence,
  type FaultRule,
  type FaultState,
} from "../../core/fault.ts";
import type { ServerId } from "../../core/ids.ts";
import { faultHitCountMax, faultTripleCountMax } from "../../core/limits.ts";
import {
  faultKeys,
  faultSelection,
  inOrderOfScope,
  keptFaults,
  type FaultKeys,
  type FaultReplacement,
  type KeptFault,
  type PositionedFault,
  type StoredFault,
} from "../fault-store.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { requireServer } from "./key-rows.ts";
import { nextVersion, type VersionedRow } from "./versions.ts";
import { removeScans } from "../queues/leased-tables.ts";

interface RuleRow {
  /** Id of the server; "" for the service. */
  readonly server: ServerId | "";
  readonly position: number;
  readonly rule: string;
  readonly state: string;
}

/** Keys of the rules of a server, or of the service (null), and the version of their last change. */
export interface FaultList extends VersionedRow {
  readonly server: ServerId | null;
  readonly keys: readonly FaultKeys[];
}

const ruleTables = ["fault_rule", "fault_hit", "fault_triple"];

const ofRule = "server = $1 and position = $2";

/** Statements about fault rules. Their guarantees are those of `FaultStore`. */
export class FaultRows extends DialectRows {
  *listFaults(server: ServerId | null): Query<readonly StoredFault[]> {
    const rows = yield* rowsOf<RuleRow & { readonly hit: string | null }>(
      `select r.position, r.rule, r.state, h.hit from fault_rule r
       left join fault_hit h on h.server = r.server and h.position = r.position
       where r.server = $1 order by r.position, h.number desc`,
      [server ?? ""],
    );
    return [...Map.groupBy(rows, ({ position }) => position).values()].flatMap(([row, ...others]) => {
      if (row === undefined) return [];
      const hits = [row, ...others].flatMap(({ hit }) => (hit === null ? [] : (JSON.parse(hit) as FaultHitRecord)));
      return [{ ...decode(row), lastHits: hits }];
    });
  }

  /** Returns the lists that have changed since a version, in the order of their versions. */
  *listChangedSince(version: number): Query<readonly FaultList[]> {
    const rows = yield* rowsOf<Pick<RuleRow, "server"> & { readonly version: number; readonly keys: string }>(
      "select server, version, keys from fault_list where version > $1 order by version",
      [version],
    );
    return rows.map(({ server, keys, ...row }) => ({
      ...row,
      server: server || null,
      keys: JSON.parse(keys) as readonly FaultKeys[],
    }));
  }

  *replaceFaults(
    server: ServerId | null,
    rules: readonly FaultRule[],
    { now, keepsCounts = false }: FaultReplacement,
  ): Query<void> {
    const place = server ?? "";
    if (server !== null) yield* requireServer(this.dialect, server);
    const version = yield* nextVersion(this.dialect, "fault_version", "fault_list");
    yield* rowsOf(
      `insert into fault_list (server, version, keys) values ($1, $2, $3)
       on conflict (server) do update set version = excluded.version, keys = excluded.keys`,
      [place, version, JSON.stringify(rules.map(faultKeys))],
    );
    const kept = keepsCounts ? keptFaults(yield* this.#listFormer(place), rules) : [];
    yield* this.#keep(place, kept);
    const places = new Set(kept.map(({ to }) => to));
    const state = JSON.stringify(newFaultState(now));
    for (const [position, rule] of rules.entries()) {
      if (places.has(position)) {
        // It may have been paused or resumed.
        yield* rowsOf(`update fault_rule set rule = $3 where ${ofRule}`, [place, position, JSON.stringify(rule)]);
        continue;
      }
      const { stages, clientAddress } = faultKeys(rule);
      yield* rowsOf(
        `insert into fault_rule (server, position, stages, client_address, rule, state)
         values ($1, $2, $3, $4, $5, $6)`,
        [place, position, stages, clientAddress, JSON.stringify(rule), state],
      );
    }
  }

  *#listFormer(place: string): Query<readonly { position: number; rule: FaultRule }[]> {
    const rows = yield* rowsOf<RuleRow>("select position, rule, state from fault_rule where server = $1", [place]);
    return rows.map((row) => ({ position: row.position, ...decode(row) }));
  }

  /** Moves rules to their new places, with their counts, and removes the others of the server. */
  *#keep(place: string, kept: readonly KeptFault[]): Query<void> {
    for (const table of ruleTables) {
      for (const { from, to } of kept) {
        // Negative, because the new place may be that of a rule that is moved later.
        yield* rowsOf(`update ${table} set position = $3 where ${ofRule}`, [place, from, -1 - to]);
      }
      yield* rowsOf(`delete from ${table} where server = $1 and position >= 0`, [place]);
      if (kept.length === 0) continue;
      yield* rowsOf(`update ${table} set position = -1 - position where server = $1`, [place]);
    }
  }

  /** Removes the rules of a server, in the transaction that removes it. */
  *removeFaults(server: ServerId): Query<void> {
    for (const table of ["fault_list", ...ruleTables]) {
      yield* rowsOf(`delete from ${table} where server = $1`, [server]);
    }
  }

  /** Returns the owners of rules that apply to an occurrence, or count it; null is the service. */
  *findOwners(occurrence: FaultOccurrence, now: number): Query<readonly (ServerId | null)[]> {
    const { changes } = decideFault(yield* this.#select(occurrence), occurrence, now);
    return [...new Set(changes.map(({ candidate }) => candidate.server))];
  }

  /** Decides as the contract, by the rules of `owners` alone, whose lists stay locked until the commit. */
  *decideFault(
    occurrence: FaultOccurrence,
    now: number,
    owners: readonly (ServerId | null)[],
  ): Query<FaultDecision | null> {
    const { isAmong, list, forUpdate } = this.dialect;
    yield* rowsOf(`select 1 from fault_list where ${isAmong("server", "$1", "text")} order by server ${forUpdate}`, [
      list(owners.map((owner) => owner ?? "")),
    ]);
    const candidates = (yield* this.#select(occurrence)).filter(({ server }) => owners.includes(server));
    const { decision, changes } = decideFault(candidates, occurrence, now);
    for (const change of changes) yield* this.#store(change, greylistKey(occurrence), now);
    return decision;
  }

  /** Returns the rules that may apply, in their order. */
  *#select(occurrence: FaultOccurrence): Query<readonly PositionedFault[]> {
    const { isAmong, list } = this.dialect;
    const { servers, stages, clientAddress } = faultSelection(occurrence);
    const rows = yield* rowsOf<RuleRow & { readonly firstTriedAt: number | null }>(
      `select r.server, position, rule, state,
         (select first_tried_at from fault_triple t
          where t.server = r.server and t.position = r.position and t.key = $4) as "firstTriedAt"
       from fault_rule r
       where (${isAmong("r.server", "$1", "text")} or client_address = $2) and stages like $3`,
      [list(["", ...servers]), clientAddress, stages, greylistKey(occurrence)],
    );
    const candidates = rows.map(({ position, firstTriedAt, ...row }) => ({
      ...decode(row),
      server: row.server || null,
      position,
      firstTriedAt,
    }));
    return inOrderOfScope(candidates, servers);
  }

  *#store({ candidate, state, hit, isFirstTry }: FaultChange<PositionedFault>, key: string, now: number): Query<void> {
    const place = [candidate.server ?? "", candidate.position];
    yield* rowsOf(`update fault_rule set state = $3 where ${ofRule}`, [...place, JSON.stringify(state)]);
    if (hit === null) return;
    yield* rowsOf("insert into fault_hit (server, position, number, hit) values ($1, $2, $3, $4)", [
      ...place,
      state.hits,
      JSON.stringify(hit),
    ]);
    if (state.hits > faultHitCountMax) {
      yield* rowsOf(`delete from fault_hit where ${ofRule} and number <= $3`, [
        ...place,
        state.hits - faultHitCountMax,
      ]);
    }
    if (!isFirstTry) return;
    yield* rowsOf("insert into fault_triple (server, position, key, first_tried_at) values ($1, $2, $3, $4)", [
      ...place,
      key,
      now,
    ]);
    // Triples are no more than hits.
    if (state.hits <= faultTripleCountMax) return;
    yield* rowsOf(
      `delete from fault_triple where ${ofRule} and first_tried_at <=
         (select first_tried_at from fault_triple where ${ofRule}
          order by first_tried_at desc limit 1 offset cast($3 as integer))`,
      [...place, faultTripleCountMax],
    );
  }
}

function decode({ rule, state }: Pick<RuleRow, "rule" | "state">): Pick<StoredFault, "rule" | "state"> {
  return { rule: JSON.parse(rule) as FaultRule, state: JSON.parse(state) as FaultState };
}

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
