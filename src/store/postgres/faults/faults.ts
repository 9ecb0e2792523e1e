import type { Clock } from "../../../core/clock.ts";
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
import {
  faultKeys,
  faultSelection,
  inOrderOfScope,
  keptFaults,
  type FaultReplacement,
  type FaultStore,
  type KeptFault,
  type PositionedFault,
  type StoredFault,
} from "../../fault-store.ts";
import { bigintArray, textArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { FaultLists, serverOf, serviceNumber } from "./fault-lists.ts";

interface RuleRow {
  readonly server_id: number;
  readonly position: number;
  readonly rule: string;
  readonly state: string;
}

/** Fault rules of all nodes. */
export class Faults implements FaultStore {
  readonly #database: Database;
  readonly #lists: FaultLists;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#lists = new FaultLists(database, clock);
  }

  async listFaults(server: ServerId | null): Promise<readonly StoredFault[]> {
    return await this.#database.read("", async (session) => {
      const rules = await session.query<RuleRow>(
        "select server_id, position, rule, state from fault_rule where server_id = $1 order by position",
        [numberOf(server)],
      );
      const rows = await session.query<{ position: number; hit: string }>(
        "select position, hit from fault_hit where server_id = $1 order by number desc",
        [numberOf(server)],
      );
      const hits = Map.groupBy(rows, ({ position }) => position);
      return rules.map((row) => ({
        ...decode(row),
        lastHits: (hits.get(row.position) ?? []).map(({ hit }) => JSON.parse(hit) as FaultHitRecord),
      }));
    });
  }

  async replaceFaults(
    server: ServerId | null,
    rules: readonly FaultRule[],
    { now, keepsCounts = false }: FaultReplacement,
  ): Promise<void> {
    await this.#database.transact(async (session) => {
      await replace(session, { server, rules, now, keepsCounts });
    });
    await (rules.length > 0 ? this.#lists.readEverywhere() : this.#lists.read());
  }

  decideFault(occurrence: FaultOccurrence, now: number): Promise<FaultDecision | null> | null {
    const mayApply = this.#lists.mayApply(occurrence);
    if (mayApply === false) return null;
    if (mayApply === true) return this.#decide(occurrence, now);
    return mayApply.then((applies) => (applies ? this.#decide(occurrence, now) : null));
  }

  /** Locks only the lists of rules that match. */
  async #decide(occurrence: FaultOccurrence, now: number): Promise<FaultDecision | null> {
    const { changes: expected } = decideFault(await select(this.#database, occurrence), occurrence, now);
    if (expected.length === 0) return null;
    const locked = new Set(expected.map(({ candidate }) => candidate.server));
    return await this.#database.transact(async (session) => {
      await session.query(
        "select 1 from fault_list where server_id = any($1::bigint[]) order by server_id for update",
        [bigintArray([...locked].map(numberOf))],
      );
      const candidates = (await select(session, occurrence)).filter(({ server }) => locked.has(server));
      const { decision, changes } = decideFault(candidates, occurrence, now);
      for (const change of changes) await store(session, change, { key: greylistKey(occurrence), now });
      return decision;
    });
  }
}

/** Removes the rules of a server, inside the transaction that removes it. */
export async function removeFaults(session: Session, server: number): Promise<void> {
  for (const table of ["fault_list", ...ruleTables]) {
    await session.query(`delete from ${table} where server_id = $1`, [server]);
  }
}

interface Replacement extends Required<FaultReplacement> {
  readonly server: ServerId | null;
  readonly rules: readonly FaultRule[];
}

const ruleTables = ["fault_rule", "fault_hit", "fault_triple"];

/** Versions are committed in their order, because the row of the state is locked. */
async function replace(session: Session, { server, rules, now, keepsCounts }: Replacement): Promise<void> {
  const number = numberOf(server);
  if (server !== null) {
    const found = await session.query("select 1 from server where server_id = $1 for share", [number]);
    if (found.length === 0) throw notFound("Server");
  }
  const keys = rules.map(faultKeys);
  const [version] = await session.query<{ next: number }>(
    `update state set fault_version =
       greatest(fault_version, (select coalesce(max(version), 0) from fault_list)) + 1 returning fault_version as next`,
  );
  await session.query(
    `insert into fault_list (server_id, version, keys) values ($1, $2, $3)
     on conflict (server_id) do update set version = excluded.version, keys = excluded.keys`,
    [number, version?.next, JSON.stringify(keys)],
  );
  const kept = keepsCounts ? await keepFaults(session, number, rules) : [];
  for (const table of kept.length > 0 ? [] : ruleTables) {
    await session.query(`delete from ${table} where server_id = $1`, [number]);
  }
  await session.query(
    `insert into fault_rule (server_id, position, stages, client_address, rule, state)
     select $1, position - 1, stages, nullif(client_address, ''), rule, $2
     from unnest($3::text[], $4::text[], $5::text[]) with ordinality as rules (stages, client_address, rule, position)
     where position - 1 <> all($6::bigint[])`,
    [
      number,
      JSON.stringify(newFaultState(now)),
      textArray(keys.map(({ stages }) => stages)),
      textArray(keys.map(({ clientAddress }) => clientAddress ?? "")),
      textArray(rules.map((rule) => JSON.stringify(rule))),
      bigintArray(kept.map(({ to }) => to)),
    ],
  );
}

/** Moves the rules that stay to their new places, with their counts, and removes the others. Returns those that stay. */
async function keepFaults(
  session: Session,
  number: number,
  rules: readonly FaultRule[],
): Promise<readonly KeptFault[]> {
  const rows = await session.query<RuleRow>(
    "select server_id, position, rule, state from fault_rule where server_id = $1",
    [number],
  );
  const stored = rows.map((row) => ({ position: row.position, ...decode(row) }));
  const kept = keptFaults(stored, rules);
  if (kept.length === 0) return kept;
  const [from, to] = [bigintArray(kept.map((one) => one.from)), bigintArray(kept.map((one) => one.to))];
  for (const table of ruleTables) {
    // Negative first, because a new place may be that of another rule.
    await session.query(
      `update ${table} r set position = -1 - place.next from unnest($2::bigint[], $3::bigint[]) as place (former, next)
       where r.server_id = $1 and r.position = place.former`,
      [number, from, to],
    );
    await session.query(`delete from ${table} where server_id = $1 and position >= 0`, [number]);
    await session.query(`update ${table} set position = -1 - position where server_id = $1`, [number]);
  }
  return kept;
}

/** Returns the rules that may apply, in their order. */
async function select(session: Session, occurrence: FaultOccurrence): Promise<readonly PositionedFault[]> {
  const { servers, stages, clientAddress } = faultSelection(occurrence);
  const rows = await session.query<RuleRow & { readonly first_tried_at: number | null }>(
    `select server_id, position, rule, state,
       (select first_tried_at from fault_triple t
        where t.server_id = r.server_id and t.position = r.position and t.key = $4) as first_tried_at
     from fault_rule r where (server_id = any($1::bigint[]) or client_address = $2) and stages like $3`,
    [bigintArray([serviceNumber, ...servers.map(serverNumberOf)]), clientAddress, stages, greylistKey(occurrence)],
  );
  const candidates = rows.map(({ first_tried_at: firstTriedAt, ...row }) => ({
    ...decode(row),
    server: serverOf(row.server_id),
    position: row.position,
    firstTriedAt,
  }));
  return inOrderOfScope(candidates, servers);
}

async function store(
  session: Session,
  { candidate, state, hit, isFirstTry }: FaultChange<PositionedFault>,
  { key, now }: { readonly key: string; readonly now: number },
): Promise<void> {
  const place = [numberOf(candidate.server), candidate.position] as const;
  const ofRule = "server_id = $1 and position = $2";
  await session.query(`update fault_rule set state = $3 where ${ofRule}`, [...place, JSON.stringify(state)]);
  if (hit === null) return;
  const addHit = "insert into fault_hit (server_id, position, number, hit) values ($1, $2, $3, $4)";
  await session.query(addHit, [...place, state.hits, JSON.stringify(hit)]);
  if (state.hits > faultHitCountMax) {
    await session.query(`delete from fault_hit where ${ofRule} and number <= $3`, [
      ...place,
      state.hits - faultHitCountMax,
    ]);
  }
  if (!isFirstTry) return;
  const addTriple = "insert into fault_triple (server_id, position, key, first_tried_at) values ($1, $2, $3, $4)";
  await session.query(addTriple, [...place, key, now]);
  // Triples are no more than hits.
  if (state.hits <= faultTripleCountMax) return;
  await session.query(
    `delete from fault_triple where ${ofRule} and first_tried_at <=
       (select first_tried_at from fault_triple where ${ofRule} order by first_tried_at desc limit 1 offset $3)`,
    [...place, faultTripleCountMax],
  );
}

function decode({ rule, state }: RuleRow): Pick<StoredFault, "rule" | "state"> {
  return { rule: JSON.parse(rule) as FaultRule, state: JSON.parse(state) as FaultState };
}

function numberOf(server: ServerId | null): number {
  return server === null ? serviceNumber : serverNumberOf(server);
}
