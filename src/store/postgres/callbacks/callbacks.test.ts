import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addTarget, aDelivery, listDeliveries } from "../../conformance/callback-drafts.ts";
import { aServer, epochMs } from "../../conformance/drafts.ts";
import type { Store } from "../../store.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { Changes } from "../messages/changes.ts";
import { openPostgresStore } from "../open.ts";
import { leasedTables } from "../../queues/leased-tables.ts";
import { run, type Query } from "../../sql/query.ts";
import { QueueRows } from "../../queues/queue-rows.ts";
import { queueDialect } from "../queues/due-work.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../reused-database.test-aid.ts";

let url = "";
let store: Store;
let database: Database;

beforeEach(async () => {
  url = await emptyDatabaseUrl();
  store = await openPostgresStore({ url });
  database = openDatabase(url);
});

afterEach(async () => {
  await store.close();
  await database.close();
  await releaseDatabase(url);
});

const count = async (table: string): Promise<number | undefined> =>
  (await database.query<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count;

test("purges the deliveries of removed targets and deleted servers in the background", async () => {
  const [own, other] = [await store.createServer(aServer()), await store.createServer(aServer())];
  const [first, second, third] = [
    await addTarget(store, own.id),
    await addTarget(store, other.id),
    await addTarget(store, own.id),
  ];
  const owned = [first, second, third].flatMap(({ id, server }) =>
    Array.from({ length: 2100 }, () => aDelivery(server, { target: id })),
  );
  await store.callbacks.addDeliveries([...owned, aDelivery(own.id), aDelivery(other.id)]);
  await store.callbacks.removeTarget(first.id);
  await store.deleteServer(other.id);
  await expect.poll(() => count("callback_delivery")).toBe(2101);
  await expect.poll(() => count("callback_purge")).toBe(0);
  expect(await count("callback_cursor")).toBe(1);
  expect(await listDeliveries(store, own.id)).toHaveLength(1000);
});

test("finds the same queues in the order of time and by a visit of all", async () => {
  const queue = fc.constantFrom("a", "b", "c", "d", "e");
  const row = fc.record({ queue, dueAt: fc.option(fc.nat(20)) });
  const cases = { rows: fc.array(row, { maxLength: 20 }), now: fc.nat(20), limit: fc.integer({ min: 1, max: 6 }) };
  await database.query(
    `insert into callback_target (id, server, kind, shape, settings, state, since_sequence, version, created_at)
     values ('c', '1', 'webhook', '', '{}', 'paused', 0, 1, 0)`,
  );
  const property = fc.asyncProperty(fc.record(cases), async ({ rows, now, limit }) => {
    await database.query("delete from callback_delivery");
    for (const [number, one] of rows.entries()) {
      await database.query(
        `insert into callback_delivery (id, number, server, queue, delivers_message, is_message_stored, type, first_due_at,
           created_at, status, due_at, attempt_count, schedule_step, attempts)
         values ($1, $2, '1', $3, 0, 0, '', 0, 0, '', $4, 0, 0, '')`,
        [String(number), number, one.queue, one.dueAt],
      );
    }
    const found = await Promise.all(
      [1, 4, 1000].map(async (countMax) => {
        const found = new QueueRows(leasedTables.deliveries, queueDialect, { countMax });
        const ask = async (query: Query<unknown>) => await run(query, ({ sql, values }) => database.query(sql, values));
        return [await ask(found.listDueKeys(now, limit)), await ask(found.nextDueAt())] as const;
      }),
    );
    expect(found[0]).toEqual(found[2]);
    expect(found[1]).toEqual(found[2]);
    const active = rows.filter((one) => one.dueAt !== null && one.queue !== "c");
    const due = new Set(active.filter(({ dueAt }) => (dueAt ?? 0) <= now).map((one) => one.queue));
    expect(found[2]?.[0]).toHaveLength(Math.min(limit, due.size));
  });
  await fc.assert(property, { numRuns: 20 });
});

test("keeps at most a million changes for a cursor that does not move", async () => {
  await database.query(
    `insert into server (server_id, id, name, name_folded, password, reader_deletion, created_at, epoch, uid_validity)
       values (1, '00000001', '', '', '', '', 0, 1, 1);
     insert into callback_cursor values ('00000001', 100);
     insert into change (server_id, sequence, kind, id)
       values (1, 99, 3, null), (1, 400000, 3, null), (1, 600000, 3, null)`,
  );
  const changes = new Changes(database);
  const trim = async (sequence: number): Promise<readonly number[]> => {
    changes.notice(1, { before: 0, after: sequence });
    while (changes.isOverlong) await changes.forgetSome();
    const left = await database.query<{ sequence: number }>("select sequence from change order by sequence");
    return left.map((row) => row.sequence);
  };
  expect(await trim(900_000)).toEqual([400_000, 600_000]);
  expect(await trim(1_500_000)).toEqual([600_000]);
  await database.query("delete from callback_cursor");
  expect(await trim(1_500_000)).toEqual([]);
});

test("never removes more deliveries than the limit, even with a nested loop plan", async () => {
  const { id: server } = await store.createServer(aServer());
  const { id: target } = await addTarget(store, server);
  await store.callbacks.addDeliveries(Array.from({ length: 4 }, () => aDelivery(server, { target })));
  await store.callbacks.updateTarget(target, { state: "paused" }, { now: epochMs });
  const name = new URL(url).pathname.slice(1);
  for (const step of ["hashagg", "hashjoin", "material", "mergejoin", "sort"]) {
    await database.query(`alter database ${name} set enable_${step} = off`);
  }
  const other = await openPostgresStore({ url });
  const removed = [await other.callbacks.removeDeliveries(epochMs + 1, 1)];
  removed.push(await other.callbacks.removeDeliveries(epochMs + 1, 2));
  await other.close();
  await database.query(`alter database ${name} reset all`);
  expect(removed).toEqual([1, 2]);
});
