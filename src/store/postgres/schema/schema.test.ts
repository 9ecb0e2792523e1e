import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { distribute } from "./citus.ts";
import { openDatabase } from "../connection/database.ts";
import type { Database } from "../connection/database.ts";
import { migrateDatabase, openPostgresStore } from "../open.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { migrate, schemaVersion } from "./schema.ts";
import type { Migration } from "./migration.ts";
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

test("replaces the trigram index of bodies of an earlier version, and its copies of texts", async () => {
  await migrateDatabase({ url });
  await database.query(
    "drop table callback_target, callback_cursor, callback_purge, callback_delivery, callback_report, callback_failure, annotation, mark",
  );
  await database.query(
    "drop table fault_list, fault_rule, fault_hit, fault_triple, scanner, scan; alter table state drop column fault_version, drop column scanner_version, drop column uid_validity; alter table server drop column uid_validity; alter table message drop column fields, drop column size",
  );
  await database.query("drop table text_progress, text_segment, text_page");
  await database.query("alter table scheduled_email drop accepted_at, drop held_bytes, drop is_deleted");
  await database.query("create table indexed_text (body text); create table text_index (server_id bigint)");
  await database.query("update restante_schema set version = 15");
  const store = await openPostgresStore({ url, searchIndex: "auto" });
  await store.check();
  await store.close();
  const tables = await database.query<{ name: string }>(
    "select tablename::text as name from pg_tables where tablename like '%text%' and schemaname = 'public' order by 1",
  );
  expect(tables.map(({ name }) => name)).toEqual(["text_page", "text_progress", "text_segment"]);
});

test("keeps a page for the purge queue, so that servers can be emptied while the disk is full", async () => {
  await migrateDatabase({ url });
  await database.query("vacuum purge");
  const [purge] = await database.query("select pg_relation_size('purge') > 0 as has_page, count(*) as rows from purge");
  expect(purge).toEqual({ has_page: true, rows: 0 });
});

test("finds the codes and attachments of messages that a release without indexes of parts stored", async () => {
  const store = await openPostgresStore({ url });
  const { id } = await store.createServer(aServer());
  const messages = [{ code: ["804219"] }, { attachment: ["a.pdf"] }, { inline: ["b.png"] }, {}].map((fields) =>
    draft(id, { fields }),
  );
  await store.addMessages(messages);
  await store.close();
  await database.query("drop index message_with_attachment, message_with_inline, message_with_code");
  await database.query("update restante_schema set version = 32");
  const reopened = await openPostgresStore({ url });
  const found = await Promise.all(
    (["code", "attachment", "inline"] as const).map(async (part) =>
      (await reopened.findExpression(id, { kind: "present", part }, page())).identities.map((one) => one.id),
    ),
  );
  expect(found).toEqual(messages.slice(0, 3).map((message) => [message.id]));
  await reopened.close();
});

test("counts the annotations that every server already stores", async () => {
  const store = await openPostgresStore({ url });
  const { id } = await store.createServer(aServer());
  await store.addMessages([{ ...draft(id), annotations: [{ kind: "scan", json: "[1]" }] }, draft(id)]);
  const counted = (await store.getServer(id))?.bytes ?? 0;
  await store.close();
  await database.query(
    "update server set byte_count = byte_count - 3; alter table server drop uid_validity; alter table state drop uid_validity",
  );
  await database.query("update restante_schema set version = 26");
  const reopened = await openPostgresStore({ url });
  expect((await reopened.getServer(id))?.bytes).toBe(counted);
  await reopened.close();
});

test("counts the bytes that every server already stores, and subtracts deleted messages", async () => {
  const store = await openPostgresStore({ url });
  const { id } = await store.createServer(aServer());
  const large = draft(id, { raw: randomBytes(3_000_000) });
  await store.addMessages([draft(id), draft(id, { direction: "Sent" }), large]);
  await store.close();
  await database.query(
    `alter table server drop column quota_messages, drop column quota_bytes, drop column byte_count`,
  );
  await database.query("alter table message drop column bytes");
  await database.query(
    "drop table provider_object, scheduled_email, scheduled_chunk, text_progress, text_segment, text_page",
  );
  await database.query(
    "drop table callback_target, callback_cursor, callback_purge, callback_delivery, callback_report, callback_failure, annotation, mark",
  );
  await database.query(
    "drop table fault_list, fault_rule, fault_hit, fault_triple, scanner, scan; alter table state drop column fault_version, drop column scanner_version, drop column uid_validity; alter table server drop column uid_validity; alter table message drop column fields, drop column size",
  );
  await database.query("update restante_schema set version = 11, needed = 9");
  const reopened = await openPostgresStore({ url });
  expect((await reopened.getServer(id))?.bytes).toBeGreaterThanOrEqual(3_000_000);
  await reopened.deleteMessage(large.id);
  const left = (await reopened.getServer(id))?.bytes ?? 0;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(1000);
  await reopened.emptyServer(id);
  expect((await reopened.getServer(id))?.bytes).toBe(0);
  await reopened.close();
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

test("keeps the previous version when a migration fails", async () => {
  const steps: readonly Migration[] = [
    { sql: "create table one (x int)", suitsOlderPrograms: false },
    { sql: "create table two (x int); create table one (x int)", suitsOlderPrograms: false },
  ];
  await expect(migrate({ database, clock: systemClock, steps: steps.slice(0, 1) })).resolves.toBe(1);
  await expect(migrate({ database, clock: systemClock, steps })).rejects.toThrow("one");
  expect(await version()).toBe(1);
  expect(await database.query("select to_regclass('two') as name")).toEqual([{ name: null }]);
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
