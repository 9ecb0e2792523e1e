import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import type { ServerId } from "../../../core/ids.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { distribute, accountTables, serverTables } from "./citus.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { migrateDatabase, openPostgresStore } from "../open.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { migrate, migrations, schemaVersion } from "./schema.ts";

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

test("migrates an empty database to the current version, and changes nothing when repeated", async () => {
  expect(await migrateDatabase({ url })).toBe(schemaVersion);
  expect(await version()).toBe(schemaVersion);
  expect(await migrateDatabase({ url })).toBe(0);
});

test("compresses searchable texts when the database server supports lz4, and stores them uncompressed otherwise", async () => {
  await migrateDatabase({ url });
  const [server] = await database.query<{ hasLz4: boolean }>(
    `select 'lz4' = any (enumvals) as "hasLz4" from pg_settings where name = 'default_toast_compression'`,
  );
  const columns = await database.query(
    `select attrelid::regclass::text as "table", attstorage::text as storage, attcompression::text as compression
     from pg_attribute where attname = 'body' and attrelid = 'message'::regclass`,
  );
  const expected = server?.hasLz4 === true ? { storage: "x", compression: "l" } : { storage: "e", compression: "" };
  expect(columns).toEqual([{ table: "message", ...expected }]);
});

test("keeps a page for the purge queue, so that servers can be emptied while the disk is full", async () => {
  await migrateDatabase({ url });
  await database.query("vacuum purge");
  const [purge] = await database.query("select pg_relation_size('purge') > 0 as has_page, count(*) as rows from purge");
  expect(purge).toEqual({ has_page: true, rows: 0 });
});

describe("a further migration of a filled database", () => {
  const sql = "create table further (x text); insert into further select name from server";

  const fill = async (): Promise<ServerId> => {
    const store = await openPostgresStore({ url });
    const { id } = await store.createServer(aServer());
    await store.addMessages([draft(id, { subject: "kept" }), draft(id, { raw: randomBytes(3_000_000) })]);
    await store.close();
    return id;
  };
  const countMessages = async (id: ServerId): Promise<number> => {
    const store = await openPostgresStore({ url });
    const { count } = await store.listMessages(id, page());
    await store.close();
    return count;
  };

  test.each([true, false])("keeps all rows (suits older programs: %s)", async (suitsOlderPrograms) => {
    const id = await fill();
    const steps = [...migrations, { sql, suitsOlderPrograms }];
    const migrating = { database, clock: systemClock, steps, announcementMs: 0 };
    expect(await migrate(migrating)).toBe(1);
    expect(await migrate(migrating)).toBe(0);
    expect(await version()).toBe(schemaVersion + 1);
    expect(await database.query("select count(*)::int4 as count from further")).toEqual([{ count: 1 }]);
    if (!suitsOlderPrograms) {
      await expect(openPostgresStore({ url })).rejects.toThrow(`version ${schemaVersion + 1}`);
      await database.query("update restante_schema set needed = $1", [schemaVersion]);
    }
    expect(await countMessages(id)).toBe(2);
  });

  test("leaves the previous version when it fails", async () => {
    const id = await fill();
    const steps = [...migrations, { sql: `${sql}; insert into nowhere values (1)`, suitsOlderPrograms: true }];
    await expect(migrate({ database, clock: systemClock, steps })).rejects.toThrow("nowhere");
    expect(await version()).toBe(schemaVersion);
    expect(await database.query("select to_regclass('further') as name")).toEqual([{ name: null }]);
    expect(await countMessages(id)).toBe(2);
  });
});

test("runs every migration once when several processes migrate at the same time", async () => {
  const counts = await Promise.all(Array.from({ length: 5 }, () => migrateDatabase({ url })));
  expect(counts.reduce((sum, count) => sum + count)).toBe(schemaVersion);
  expect(await version()).toBe(schemaVersion);
});

test("opens every node when several start at the same time on an empty database", async () => {
  const stores = await Promise.all(Array.from({ length: 3 }, () => openPostgresStore({ url })));
  for (const store of stores) await store.check();
  await Promise.all(stores.map((store) => store.close()));
});

test("rejects a newer schema, names both versions and does not change it", async () => {
  await migrateDatabase({ url });
  const later = schemaVersion + 3;
  await database.query("update restante_schema set version = $1, needed = $1", [later]);
  await expect(openPostgresStore({ url })).rejects.toThrow(
    `requires a release that supports version ${later}, but this release supports versions up to ${schemaVersion}`,
  );
  expect(await version()).toBe(later);
});

test("opens a newer schema that is compatible with this version", async () => {
  await migrateDatabase({ url });
  await database.query("update restante_schema set version = version + 1");
  const store = await openPostgresStore({ url });
  await store.check();
  await store.close();
});

test("serverTables and accountTables list every table except the schema version, state and leases", async () => {
  await migrateDatabase({ url });
  const rows = await database.query<{ name: string }>(
    "select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  const listed = rows.map(({ name }) => name).filter((name) => !["restante_schema", "state", "lease"].includes(name));
  expect(listed.toSorted()).toEqual([...serverTables, ...accountTables].toSorted());
});

test("every unique index of a server table begins with the server id", async () => {
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

test("rejects distribution without Citus and names the missing extension", async () => {
  await migrateDatabase({ url });
  await expect(distribute(database)).rejects.toThrow("create extension citus");
});
