import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { aServer, draft } from "../../conformance/drafts.ts";
import { distribute } from "./citus.ts";
import { openDatabase } from "../connection/database.ts";
import type { Database } from "../connection/database.ts";
import { migrateDatabase, openPostgresStore } from "../open.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { migrate, schemaVersion } from "./schema.ts";
import type { Migration } from "./schema.ts";
import { accountTables, serverTables } from "./tables.ts";

let url = "";
let database: Database;

beforeEach(async () => {
  url = await testDatabaseUrl();
  database = openDatabase(url);
});

afterEach(async () => {
  await database.close();
  await dropDatabase(url);
});

const version = async (): Promise<number | undefined> =>
  (await database.query<{ version: number }>("select version from restante_schema"))[0]?.version;

test("an empty database becomes a whole one, and stays it", async () => {
  expect(await migrateDatabase({ url })).toBe(schemaVersion);
  expect(await version()).toBe(schemaVersion);
  expect(await migrateDatabase({ url })).toBe(0);
});

test("texts to search are compressed where the server has lz4, and lie as they are where it has not", async () => {
  await migrateDatabase({ url });
  const [server] = await database.query<{ hasLz4: boolean }>(
    `select 'lz4' = any (enumvals) as "hasLz4" from pg_settings where name = 'default_toast_compression'`,
  );
  const columns = await database.query(
    `select attrelid::regclass::text as "table", attstorage::text as storage, attcompression::text as compression
     from pg_attribute where attname = 'body' and attrelid in ('message'::regclass, 'indexed_text'::regclass) order by 1`,
  );
  const how = server?.hasLz4 === true ? { storage: "x", compression: "l" } : { storage: "e", compression: "" };
  expect(columns).toEqual([
    { table: "indexed_text", ...how },
    { table: "message", ...how },
  ]);
});

test("counts the bytes of what every server holds already, and what of it is deleted", async () => {
  const store = await openPostgresStore({ url });
  const { id } = await store.createServer(aServer());
  const large = draft(id, { raw: randomBytes(3_000_000) });
  await store.addMessages([draft(id), draft(id, { direction: "Sent" }), large]);
  await store.close();
  await database.query(
    `alter table server drop column quota_messages, drop column quota_bytes, drop column byte_count`,
  );
  await database.query("alter table message drop column bytes");
  await database.query("update restante_schema set version = 11, needed = 9");
  const again = await openPostgresStore({ url });
  expect((await again.getServer(id))?.bytes).toBeGreaterThanOrEqual(3_000_000);
  await again.deleteMessage(large.id);
  const left = (await again.getServer(id))?.bytes ?? 0;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(1000);
  await again.emptyServer(id);
  expect((await again.getServer(id))?.bytes).toBe(0);
  await again.close();
});

test("of several that begin at once one makes each step, and all end with the same", async () => {
  const counts = await Promise.all(Array.from({ length: 5 }, () => migrateDatabase({ url })));
  expect(counts.reduce((sum, count) => sum + count)).toBe(schemaVersion);
  expect(await version()).toBe(schemaVersion);
});

test("nodes that start at once on an empty database all open", async () => {
  const stores = await Promise.all(Array.from({ length: 3 }, () => openPostgresStore({ url })));
  for (const store of stores) await store.check();
  await Promise.all(stores.map((store) => store.close()));
});

test("a step that fails leaves the version before it whole", async () => {
  const steps: readonly Migration[] = [
    { sql: "create table one (x int)", suitsOlderPrograms: false },
    { sql: "create table two (x int); create table one (x int)", suitsOlderPrograms: false },
  ];
  await expect(migrate({ database, clock: systemClock, steps: steps.slice(0, 1) })).resolves.toBe(1);
  await expect(migrate({ database, clock: systemClock, steps })).rejects.toThrow("one");
  expect(await version()).toBe(1);
  expect(await database.query("select to_regclass('two') as name")).toEqual([{ name: null }]);
});

test("a newer schema is refused by naming both versions, and left as it is", async () => {
  await migrateDatabase({ url });
  const later = schemaVersion + 3;
  await database.query("update restante_schema set version = $1, needed = $1", [later]);
  await expect(openPostgresStore({ url })).rejects.toThrow(
    `needs a program that knows version ${later}, this one knows versions up to ${schemaVersion}`,
  );
  expect(await version()).toBe(later);
});

test("a program opens a newer schema that has only grown", async () => {
  await migrateDatabase({ url });
  await database.query("update restante_schema set version = version + 1");
  const store = await openPostgresStore({ url });
  await store.check();
  await store.close();
});

test("every table but those of the schema and of the moment is divided, copied, and backed up", async () => {
  await migrateDatabase({ url });
  const rows = await database.query<{ name: string }>(
    "select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  const own = rows.map(({ name }) => name).filter((name) => !["restante_schema", "state", "lease"].includes(name));
  expect(own.toSorted()).toEqual([...serverTables, ...accountTables].toSorted());
});

test("every table that can be divided has the server first in its key", async () => {
  await migrateDatabase({ url });
  const rows = await database.query<{ name: string; column: string }>(
    `select c.relname::text as name, a.attname::text as column
     from pg_index i join pg_class c on c.oid = i.indrelid
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indisunique and c.relname = any($1::text[])`,
    [serverTables],
  );
  expect(rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
    serverTables.toSorted().map((name) => ({ name, column: "server_id" })),
  );
});

test("without Citus nothing is divided, and the operator is told what is missing", async () => {
  await migrateDatabase({ url });
  await expect(distribute(database)).rejects.toThrow("create extension citus");
});
