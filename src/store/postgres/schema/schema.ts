import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { Database, Session } from "../connection/database.ts";
import { sqlStateOf } from "../connection/errors.ts";
import { newerSchemaError, sharedTables } from "../../schema/shared-tables.ts";
import { postgresSchema } from "../../schema/schema-dialect.ts";
import { messages, textIndex } from "./version-1.ts";

/** Migration from one version of the schema to the next. */
interface Migration {
  readonly sql: string;
  /** True when older versions can go on using the database: only additions are of this kind. */
  readonly suitsOlderPrograms: boolean;
}

/** All migrations from an empty database; migration n leads from version n to n + 1. Never edited after a release. */
export const migrations: readonly Migration[] = [
  {
    sql: [sharedTables(postgresSchema), messages, textIndex].join("\n"),
    suitsOlderPrograms: false,
  },
];

/** Schema version that this program reads and writes. */
export const schemaVersion: number = migrations.length;

/** Lock timeout of a migration, during which users of the table wait; and the time during which it is retried. */
const lockMsMax = 3000;
const connectionWaitMsMax = 10 * 60_000;
const pauseMs = 200;

/** Interval at which nodes read the version of the schema. */
export const watchMs = 5000;
/** Time between the announcement of a migration that does not suit older programs, and the migration. */
const announcementMs = 2 * watchMs;

/** SQLSTATEs of concurrent creations of the same table. */
const raceStates: ReadonlySet<string> = new Set(["23505", "42710", "42P07"]);
/** SQLSTATE lock_not_available. */
const lockState = "55P03";

/** Row with the version of the schema. */
export interface SchemaRow {
  readonly version: number;
  /** Lowest version that a program must support. */
  readonly needed: number;
}

/** Dependencies of {@link migrate}. */
export interface Migrating {
  readonly database: Database;
  readonly clock: Clock;
  /** Migrations of this program by default; tests pass others. */
  readonly steps?: readonly Migration[];
  /** Time that nodes of older releases have to stop using the database; 10 seconds by default. */
  readonly announcementMs?: number;
}

/**
 * Migrates a database to {@link schemaVersion}, one transaction per migration, so that a crash leaves a complete
 * version. Concurrent callers are serialised by a lock on the row with the version. Rejects with a plain `Error` for
 * the operator when a newer version has migrated the database so that this one cannot use it. Returns the number of
 * applied migrations. A migration that does not suit older programs is announced first, so that their nodes, which may be
 * running, reject calls before it begins.
 */
export async function migrate(migrating: Migrating): Promise<number> {
  const { database, clock, steps = migrations } = migrating;
  const pause = async (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const until = clock.monotonicMs() + connectionWaitMsMax;
  let announced = 0;
  for (let stepCount = 0; ;) {
    try {
      if ((await readSchema(database)) === undefined) await database.transact(prepare).catch(passOverRace);
      const step = await database.transact((session) => makeStep(session, steps, announced));
      if (step === "none") return stepCount;
      if (step === "applied") stepCount += 1;
      else {
        announced = step.needed;
        await pause(migrating.announcementMs ?? announcementMs);
      }
    } catch (error) {
      const isBusy = error instanceof Problem && sqlStateOf(error.cause) === lockState;
      if (!isBusy || clock.monotonicMs() > until) throw error;
      await pause(pauseMs);
    }
  }
}

/** Rejects with a plain `Error` for the operator when a newer version has migrated the database, or is about to, so that this one cannot use it. */
export async function requireUsableSchema(session: Session): Promise<void> {
  const found = await readSchema(session);
  if (found !== undefined && found.needed > schemaVersion) {
    throw newerSchemaError({ ...found, supported: schemaVersion });
  }
}

/** Reads the version of the schema; undefined when there is none. */
export async function readSchema(session: Session): Promise<SchemaRow | undefined> {
  const [table] = await session.query<{ name: string | null }>("select to_regclass('restante_schema')::text as name");
  if ((table?.name ?? null) === null) return undefined;
  return (await session.query<SchemaRow>("select version, needed from restante_schema"))[0];
}

async function prepare(session: Session): Promise<void> {
  await session.query(
    `create table if not exists restante_schema (
       singleton smallint primary key check (singleton = 1), version integer not null, needed integer not null)`,
  );
  await session.query(
    "insert into restante_schema (singleton, version, needed) values (1, 0, 0) on conflict do nothing",
  );
}

/** Ignores the error when another node has created the tables at the same time. */
function passOverRace(error: unknown): void {
  if (!raceStates.has(sqlStateOf(error) ?? "")) throw error;
}

/** Applies the next migration, if there is one, or announces it, unless `announced` is the version that programs will need. */
async function makeStep(
  session: Session,
  steps: readonly Migration[],
  announced: number,
): Promise<"none" | "applied" | { readonly needed: number }> {
  await session.query(`set local lock_timeout = ${lockMsMax}`);
  const [schema] = await session.query<SchemaRow>("select version, needed from restante_schema for update");
  const { version, needed } = schema ?? { version: 0, needed: 0 };
  if (needed > steps.length) {
    throw newerSchemaError({ version, needed, supported: steps.length });
  }
  const step = steps[version];
  if (step === undefined) return "none";
  const next = version + 1;
  const record = "update restante_schema set version = $1, needed = $2";
  if (step.suitsOlderPrograms || version === 0 || announced === next) {
    await session.query(step.sql);
    await session.query(record, [next, step.suitsOlderPrograms ? needed : next]);
    return "applied";
  }
  await session.query(record, [version, next]);
  return { needed: next };
}
