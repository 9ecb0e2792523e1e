import { afterEach, beforeEach, expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { dropDatabase, migratedDatabaseUrl } from "../postgres.test-aid.ts";
import { migrate, migrations, schemaVersion, watchMs } from "./schema.ts";
import { SchemaWatch } from "./schema-watch.ts";

let url = "";
let migrator: Database;
let clock: FakeClock;
let watched: Database;
const tasks = createBackgroundTasks(new FakeClock(), () => undefined);
const state = (): string | undefined => tasks.states().find(({ task }) => task === "schema")?.state;

beforeEach(async () => {
  url = await migratedDatabaseUrl();
  migrator = openDatabase(url);
  clock = new FakeClock();
  watched = new SchemaWatch(openDatabase(url), clock, tasks).watched();
});
afterEach(async () => {
  await watched.close();
  await migrator.close();
  await dropDatabase(url);
});

const steps = (suitsOlderPrograms: boolean) => [
  ...migrations,
  { sql: "create table further (x text)", suitsOlderPrograms },
];
const tables = async (): Promise<readonly object[]> =>
  migrator.query("select to_regclass('further')::text as name, version from restante_schema");

test("lets a node go on after a migration that suits it", async () => {
  expect(await migrate({ database: migrator, clock, steps: steps(true) })).toBe(1);
  clock.advance(watchMs);
  await watched.query("select 1");
  clock.advance(watchMs);
  await watched.query("select 1");
  expect(state()).toBe("ok");
});

test("rejects the calls of a node before another migration begins, and accepts them once a backup was restored", async () => {
  const migratingClock = new FakeClock();
  const migrated = migrate({ database: migrator, clock: migratingClock, steps: steps(false) });
  await expect.poll(() => migratingClock.appointmentCount).toBe(1);
  expect(await tables()).toEqual([{ name: null, version: schemaVersion }]);

  clock.advance(watchMs);
  await expect.poll(state).toBe("failing");
  await expect(watched.query("select 1")).rejects.toMatchObject({ code: "unavailable" });
  await expect(watched.transact(async (session) => session.query("select 1"))).rejects.toMatchObject({
    code: "unavailable",
  });
  const [reason] = tasks.states().map(({ lastFailure }) => lastFailure?.reason);
  expect(reason).toContain(`requires a release that supports version ${schemaVersion + 1}`);

  migratingClock.advance(2 * watchMs);
  expect(await migrated).toBe(1);
  expect(await tables()).toEqual([{ name: "further", version: schemaVersion + 1 }]);

  await migrator.query("update restante_schema set version = $1, needed = $1", [schemaVersion]);
  clock.advance(watchMs);
  await expect.poll(state).toBe("ok");
  await watched.query("select 1");
});
