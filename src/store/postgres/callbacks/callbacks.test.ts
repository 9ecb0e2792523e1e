import { afterEach, beforeEach, expect, test } from "vitest";
import { addTarget, aDelivery, listDeliveries } from "../../conformance/callback-drafts.ts";
import { aServer } from "../../conformance/drafts.ts";
import type { Store } from "../../store.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { Changes } from "../messages/changes.ts";
import { openPostgresStore } from "../open.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

let url = "";
let store: Store;
let database: Database;

beforeEach(async () => {
  url = await testDatabaseUrl();
  store = await openPostgresStore({ url });
  database = openDatabase(url);
});

afterEach(async () => {
  await store.close();
  await database.close();
  await dropDatabase(url);
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

test("keeps at most a million changes for a cursor that does not move", async () => {
  await database.query(
    `insert into callback_cursor values (1, 100);
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
