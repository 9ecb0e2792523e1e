/** Tables of fault rules. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { notFound } from "../../../core/errors.ts";
import { decideFault, type FaultChange } from "../../../core/fault-engine.ts";
import { greylistKey } from "../../../core/fault-match.ts";
import {
  newFaultState,
  type FaultDecision,
  type FaultHitRecord,
  type FaultOccurrence,
  type FaultRule,
  type FaultState,
} from "../../../core/fault.ts";
import type { ServerId } from "../../../core/ids.ts";
import { faultHitCountMax, faultTripleCountMax } from "../../../core/limits.ts";
import { FaultIndex } from "../../fault-index.ts";
import {
  faultKeys,
  faultSelection,
  inOrderOfScope,
  keptFaults,
  type FaultKeys,
  type FaultReplacement,
  type FaultStore,
  type KeptFault,
  type PositionedFault,
  type StoredFault,
} from "../../fault-store.ts";
import type { Thread } from "../threads/thread.ts";

interface RuleRow {
  readonly server: string;
  readonly position: number;
  readonly rule: string;
  readonly state: string;
}

const columns = "server, position, rule, state";
const tables = ["fault_rule", "fault_hit", "fault_triple"];

/** Queries of fault rules. */
export class FaultReads {
  readonly #list: StatementSync;
  readonly #hits: StatementSync;
  readonly #keys: StatementSync;

  constructor(database: DatabaseSync) {
    this.#list = database.prepare(`select ${columns} from fault_rule where server = ? order by position`);
    this.#hits = database.prepare("select position, hit from fault_hit where server = ? order by number desc");
    this.#keys = database.prepare("select server, stages, client_address as clientAddress from fault_rule");
  }

  list(server: ServerId | null): readonly StoredFault[] {
    const hits = Map.groupBy(this.#hits.all(server ?? ""), (row) => row["position"]);
    return this.#list.all(server ?? "").map((row) => ({
      ...decode(row as unknown as RuleRow),
      lastHits: (hits.get(row["position"] ?? null) ?? []).map(({ hit }) => JSON.parse(String(hit)) as FaultHitRecord),
    }));
  }

  /** Returns the keys of all rules, by server. */
  keys(): ReadonlyMap<ServerId | null, readonly FaultKeys[]> {
    const rows = this.#keys.all() as unknown as readonly (FaultKeys & { readonly server: string })[];
    return Map.groupBy(rows, ({ server }) => serverOf(server));
  }
}

/** Calls of the writer thread that change fault rules or their counts. */
export interface FaultCalls {
  /** As in the contract. */
  replaceFaults(server: ServerId | null, rules: readonly FaultRule[], change: FaultReplacement): void;
  /** As in the contract. */
  decideFault(occurrence: FaultOccurrence, now: number): FaultDecision | null;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindFaultCalls(database: DatabaseSync): FaultCalls {
  const hasServer = database.prepare("select 1 from server where id = ?");
  const insert = database.prepare(
    "insert into fault_rule (server, position, stages, client_address, rule, state) values (?, ?, ?, ?, ?, ?)",
  );
  const remove = bindRemoveFaults(database);
  const keep = bindKeepFaults(database);
  const former = database.prepare(`select ${columns} from fault_rule where server = ?`);
  const select = bindSelect(database);
  const store = bindStore(database);
  return {
    replaceFaults: (server, rules, { now, keepsCounts = false }) => {
      if (server !== null && hasServer.get(server) === undefined) throw notFound("Server");
      const rows = keepsCounts ? (former.all(server ?? "") as unknown as readonly RuleRow[]) : [];
      const stored = rows.map((row) => ({ position: row.position, ...decode(row) }));
      const kept = keptFaults(stored, rules);
      if (kept.length === 0) remove(server);
      else keep(server, kept);
      const places = new Set(kept.map(({ to }) => to));
      const state = JSON.stringify(newFaultState(now));
      for (const [position, rule] of rules.entries()) {
        if (places.has(position)) continue;
        const { stages, clientAddress } = faultKeys(rule);
        insert.run(server ?? "", position, stages, clientAddress, JSON.stringify(rule), state);
      }
    },
    decideFault: (occurrence, now) => {
      const key = greylistKey(occurrence);
      const { decision, changes } = decideFault(select(occurrence, key), occurrence, now);
      for (const change of changes) store(change, key, now);
      return decision;
    },
  };
}

/** Returns a function that removes the rules of a server, or of the service, for use inside the writer's transaction. */
export function bindRemoveFaults(database: DatabaseSync): (server: ServerId | null) => void {
  const statements = tables.map((table) => database.prepare(`delete from ${table} where server = ?`));
  return (server) => {
    for (const statement of statements) statement.run(server ?? "");
  };
}

/** Returns a function that moves rules to their new places, with their counts, and removes the others of the server. */
function bindKeepFaults(database: DatabaseSync): (server: ServerId | null, kept: readonly KeptFault[]) => void {
  const statements = tables.map((table) => ({
    // Negative, because the new place may be that of a rule that is moved later.
    move: database.prepare(`update ${table} set position = ? where server = ? and position = ?`),
    removeOthers: database.prepare(`delete from ${table} where server = ? and position >= 0`),
    settle: database.prepare(`update ${table} set position = -1 - position where server = ?`),
  }));
  return (server, kept) => {
    for (const { move, removeOthers, settle } of statements) {
      for (const { from, to } of kept) move.run(-1 - to, server ?? "", from);
      removeOthers.run(server ?? "");
      settle.run(server ?? "");
    }
  };
}

/** Returns a function that selects the rules that may apply, in their order. */
function bindSelect(database: DatabaseSync): (occurrence: FaultOccurrence, key: string) => readonly PositionedFault[] {
  const ofServer = database.prepare(`select ${columns} from fault_rule where server = ? and stages like ?`);
  const ofAddress = database.prepare(`select ${columns} from fault_rule where client_address = ? and stages like ?`);
  const triple = database.prepare(
    "select first_tried_at as at from fault_triple where server = ? and position = ? and key = ?",
  );
  return (occurrence, key) => {
    const { servers, stages, clientAddress } = faultSelection(occurrence);
    const own = [...servers, ""].flatMap((server) => ofServer.all(server, stages));
    const known = new Set<string>([...servers, ""]);
    const named = clientAddress === null ? [] : ofAddress.all(clientAddress, stages);
    const rows = [...own, ...named.filter(({ server }) => !known.has(String(server)))] as unknown as readonly RuleRow[];
    const candidates = rows.map((row) => {
      const { rule, state } = decode(row);
      const { server, position } = row;
      const at = rule.then.greylist === undefined ? undefined : triple.get(server, position, key)?.["at"];
      return { server: serverOf(server), position, rule, state, firstTriedAt: at === undefined ? null : Number(at) };
    });
    return inOrderOfScope(candidates, servers);
  };
}

/** Returns a function that stores the change of a rule. */
function bindStore(database: DatabaseSync): (change: FaultChange<PositionedFault>, key: string, now: number) => void {
  const update = database.prepare("update fault_rule set state = ? where server = ? and position = ?");
  const addHit = database.prepare("insert into fault_hit (server, position, number, hit) values (?, ?, ?, ?)");
  const forgetHits = database.prepare("delete from fault_hit where server = ? and position = ? and number <= ?");
  const addTriple = database.prepare(
    "insert into fault_triple (server, position, key, first_tried_at) values (?, ?, ?, ?)",
  );
  const forgetTriples = database.prepare(
    `delete from fault_triple where server = ?1 and position = ?2 and first_tried_at <=
       (select first_tried_at from fault_triple where server = ?1 and position = ?2
        order by first_tried_at desc limit 1 offset ?3)`,
  );
  return ({ candidate, state, hit, isFirstTry }, key, now) => {
    const place = [candidate.server ?? "", candidate.position] as const;
    update.run(JSON.stringify(state), ...place);
    if (hit === null) return;
    addHit.run(...place, state.hits, JSON.stringify(hit));
    forgetHits.run(...place, state.hits - faultHitCountMax);
    if (!isFirstTry) return;
    addTriple.run(...place, key, now);
    // Triples are no more than hits.
    if (state.hits > faultTripleCountMax) forgetTriples.run(...place, faultTripleCountMax);
  };
}

/** Creates the store of fault rules; their keys are in memory. */
export function createFaultStore(
  writer: Thread<FaultCalls>,
  read: <Result>(body: (reads: FaultReads) => Result) => Result,
): FaultStore {
  const index = new FaultIndex();
  for (const [server, keys] of read((reads) => reads.keys())) index.set(server, keys);
  return {
    listFaults: async (server) => read((reads) => reads.list(server)),
    replaceFaults: async (server, rules, change) => {
      await writer.call("replaceFaults", [server, rules, change]);
      index.set(server, rules.map(faultKeys));
    },
    decideFault: (occurrence, now) =>
      index.mayApply(occurrence) ? writer.call("decideFault", [occurrence, now]) : null,
  };
}

function decode({ rule, state }: RuleRow): Pick<StoredFault, "rule" | "state"> {
  return { rule: JSON.parse(rule) as FaultRule, state: JSON.parse(state) as FaultState };
}

function serverOf(column: string): ServerId | null {
  return column === "" ? null : (column as ServerId);
}
