import { expect, onTestFinished, test } from "vitest";
import { createBackgroundTasks, type BackgroundTaskRegistry } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { draft } from "../../conformance/drafts.ts";
import { expectProblem, makeServer } from "../../conformance/setup.ts";
import type { Store } from "../../store.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { openPostgresStore } from "../open.ts";
import { dropDatabase, migratedDatabaseUrl } from "../postgres.test-aid.ts";

interface Opened {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly tasks: BackgroundTaskRegistry;
  readonly events: readonly string[];
  /** Enables or disables `disk_full` errors for statements that allocate space. */
  readonly setFull: (isFull: boolean) => Promise<void>;
}

const createTriggerFunctions = `
  create function disk_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
  create function disk_full_on_create() returns event_trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`;
const enableTriggers = `
  create trigger disk_full before insert on message execute function disk_full();
  create event trigger disk_full on ddl_command_start when tag in ('CREATE TABLE') execute function disk_full_on_create()`;
const disableTriggers = "drop event trigger disk_full; drop trigger disk_full on message";

async function open(): Promise<Opened> {
  const url = await migratedDatabaseUrl();
  const clock = new FakeClock();
  const events: string[] = [];
  const tasks = createBackgroundTasks(clock, ({ kind, task }) => events.push(`${task} ${kind}`));
  const store = await openPostgresStore({ url, clock, tasks });
  const admin: Database = openDatabase(url);
  await admin.query(createTriggerFunctions);
  onTestFinished(async () => {
    await admin.close();
    await store.close();
    await dropDatabase(url);
  });
  const setFull = async (isFull: boolean): Promise<void> =>
    void (await admin.query(isFull ? enableTriggers : disableTriggers));
  return { store, clock, tasks, events, setFull };
}

test("reports a full disk once and its recovery once", async () => {
  const { store, clock, tasks, events, setFull } = await open();
  const server = await makeServer(store);
  await store.check();
  await setFull(true);
  for (let count = 0; count < 3; count += 1) await expectProblem(store.addMessages([draft(server)]), "storage_full");
  expect(events).toEqual(["storage failed"]);
  expect(tasks.states().find(({ task }) => task === "storage")).toMatchObject({
    state: "failing",
    lastFailure: { reason: "53100: could not extend file" },
    degrades: "new mail is rejected because the database disk is full",
  });
  await expectProblem(store.check(), "storage_full");
  expect((await store.statistics()).storageFull).toBe(1);

  clock.advance(5000);
  await setFull(false);
  await expect
    .poll(() => {
      clock.advance(5000);
      return events;
    })
    .toEqual(["storage failed", "storage recovered"]);
  await store.check();
  expect((await store.statistics()).storageFull).toBe(0);
  expect(await store.addMessages([draft(server)])).toMatchObject([{ outcome: "stored" }]);
});

test("stays full while probes fail, and still serves reads and deletions", async () => {
  const { store, clock, events, setFull } = await open();
  const server = await makeServer(store);
  const message = draft(server);
  await store.addMessages([message]);
  await setFull(true);
  await expectProblem(store.addMessages([draft(server)]), "storage_full");
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(() => clock.appointmentCount).toBeGreaterThan(0);
    clock.advance(5000);
    await expectProblem(store.check(), "storage_full");
  }
  expect(await store.getRaw(message.id)).toBeDefined();
  expect(await store.deleteMessage(message.id)).toBe(2);
  expect(await store.emptyServer(server)).toBe(3);
  expect(events).toEqual(["storage failed"]);
});
