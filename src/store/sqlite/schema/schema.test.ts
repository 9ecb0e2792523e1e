import { randomBytes } from "node:crypto";
import { mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { databaseFileName } from "../backup/backup.ts";
import { readNumber } from "../connection/connection.ts";
import { openSqliteStore } from "../open.ts";
import { leasedTables } from "../../leased-tables.ts";
import { migrate, migrations, schemaVersion } from "./schema.ts";

test("migrates every version to the current one and keeps existing rows", () => {
  using database = new DatabaseSync(":memory:");
  expect(readNumber(database, "pragma user_version")).toBe(0);
  migrate(database);
  expect(readNumber(database, "pragma user_version")).toBe(schemaVersion);
  database.exec("update state set epoch = 7");
  migrate(database);
  expect(readNumber(database, "select epoch from state")).toBe(7);
});

test("keeps the previous version when a migration fails", () => {
  using database = new DatabaseSync(":memory:");
  database.exec("pragma application_id = 0x72657374; create table purge (other text)");
  expect(() => {
    migrate(database);
  }).toThrow(/purge/);
  database.exec("rollback");
  expect(readNumber(database, "pragma user_version")).toBe(0);
  expect(readNumber(database, "select count(*) from sqlite_schema")).toBe(1);
});

test("marks unsealed secrets of phone numbers and removes every other trace of them", () => {
  using database = new DatabaseSync(":memory:");
  database.exec(migrations.slice(0, 4).join("\n"));
  database.exec(`pragma application_id = 0x72657374; pragma user_version = 4;
    insert into phone_number values
      ('a', '+15550100', 'abcd1234', 'twilio', 'sécret', null, 1), ('b', '+15550101', 'abcd1234', 'vonage', null, 'http://x', 2);`);
  migrate(database);
  const rows = database.prepare("select id, sealed_secrets as sealed, webhook from phone_number order by id").all();
  expect(rows.map(({ id, sealed, webhook }) => [id, sealed && Buffer.from(sealed as Uint8Array), webhook])).toEqual([
    ["a", Buffer.from("\0sécret"), null],
    ["b", null, "http://x"],
  ]);
  expect(readNumber(database, "select count(*) from pragma_table_info('phone_number') where name = 'secret'")).toBe(0);
  expect(readNumber(database, "select leaving_count from state")).toBe(0);
});

test("rejects a newer schema, names both versions and does not change it", async () => {
  const directory = await aDirectory();
  const file = path.join(directory, databaseFileName);
  await (await openSqliteStore({ directory, durable: false })).close();
  using database = new DatabaseSync(file);
  database.exec(`pragma user_version = ${schemaVersion + 3}`);
  const opening = openSqliteStore({ directory, durable: false });
  await expect(opening).rejects.toThrow(
    `requires a release that supports version ${schemaVersion + 3}, but this release supports versions up to ${schemaVersion}`,
  );
  expect(readNumber(database, "pragma user_version")).toBe(schemaVersion + 3);
});

test.each(["pragma application_id = 1234; pragma user_version = 1", "pragma user_version = 3", ""])(
  "rejects another program's database and leaves it unchanged (%s)",
  async (marks) => {
    const directory = await aDirectory();
    using database = new DatabaseSync(path.join(directory, databaseFileName));
    database.exec(`create table theirs (x); ${marks}`);
    await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow("another program");
    expect(readNumber(database, "select count(*) from sqlite_schema")).toBe(1);
  },
);

test("rejects an empty database file instead of starting with an empty store", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  await store.createServer(aServer());
  await store.close();
  const file = path.join(directory, databaseFileName);
  await truncate(file, 0);
  await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow(/is empty \(0 bytes\)/);
  expect((await stat(file)).size).toBe(0);
});

test("rejects a truncated database", async () => {
  const directory = await aDirectory();
  await (await openSqliteStore({ directory, durable: false })).close();
  const file = path.join(directory, databaseFileName);
  await truncate(file, (await stat(file)).size / 2);
  await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow("damaged");
});

test("rejects a data folder whose database is missing while its write-ahead log is there", async () => {
  const directory = await aDirectory();
  await writeFile(path.join(directory, `${databaseFileName}-wal`), "frames");
  await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow(/is missing.*write-ahead log/);
});

test("creates the database again after an interrupted first start", async () => {
  const directory = await aDirectory();
  await writeFile(path.join(directory, `${databaseFileName}.new`), "half");
  await (await openSqliteStore({ directory, durable: true })).close();
  await expect(stat(path.join(directory, `${databaseFileName}.new`))).rejects.toThrow("ENOENT");
});

test("reports a file that is not a database, or a torn one, as damaged and does not change it", async () => {
  const directory = await aDirectory();
  const file = path.join(directory, databaseFileName);
  await writeFile(file, "this was never a database, whatever its name says ".repeat(100));
  await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow(/damaged.*restore a backup/);
  expect((await readFile(file)).toString("latin1", 0, 8)).toBe("this was");

  const torn = path.join(directory, "torn");
  await (await openSqliteStore({ directory: torn, durable: false })).close();
  const bytes = await readFile(path.join(torn, databaseFileName));
  await writeFile(path.join(torn, databaseFileName), bytes.fill(0x55, 100, 4096));
  await expect(openSqliteStore({ directory: torn, durable: false })).rejects.toThrow("damaged");
});

test("makes directory and files accessible to their owner only, even if the files were readable before", async () => {
  const directory = path.join(await aDirectory(), "made", "here");
  const mode = async (file: string) => (await stat(path.join(directory, file))).mode & 0o777;
  for (let round = 0; round < 2; round += 1) {
    const store = await openSqliteStore({ directory, durable: true });
    expect(await mode(".")).toBe(0o700);
    for (const file of ["restante.db", "restante.db-wal", "restante.db-shm", "restante.lock"]) {
      expect(await mode(file)).toBe(0o600);
    }
    await store.close();
    await writeFile(path.join(directory, "note"), "");
    using database = new DatabaseSync(path.join(directory, databaseFileName));
    expect(readNumber(database, "pragma auto_vacuum")).toBe(2);
  }
});

test("leaves one complete file when the store is closed", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: true });
  const { id } = await store.createServer(aServer());
  await store.addMessages([draft(id)]);
  await store.searchMessages(id, { body: "x", match: "ALL" }, page());
  await store.close();
  await expect(stat(path.join(directory, "restante.db-wal"))).rejects.toThrow("ENOENT");
  await mkdir(path.join(directory, "elsewhere"));
  await writeFile(
    path.join(directory, "elsewhere", databaseFileName),
    await readFile(path.join(directory, databaseFileName)),
  );
  const copy = await openSqliteStore({ directory: path.join(directory, "elsewhere"), durable: true });
  expect((await copy.getServer(id))?.messages).toBe(1);
  await copy.close();
});

test.each([
  ["signatures", 8],
  ["filters", 15],
])("drops index segments in the format before %s", (_, version) => {
  using database = new DatabaseSync(":memory:");
  database.exec(migrations.slice(0, version).join("\n"));
  database.exec(`pragma application_id = 0x72657374; pragma user_version = ${version};
    insert into gram_segment (epoch, state, first_sequence, last_sequence, size, received_size, unindexed)
      values (1, 1, 1, 9, 9, 9, '[]'), (1, 0, 10, 12, 3, 3, '[]')`);
  migrate(database);
  expect(readNumber(database, "select count(*) from gram_segment where state = 2")).toBe(2);
  expect(readNumber(database, "select count(*) from sqlite_schema where name = 'gram_set'")).toBe(0);
});

/** Returns the statements that undo the migration of the quarantine, of tables that are not dropped otherwise. */
function withoutQuarantine(tables = Object.values(leasedTables).map(({ table }) => table)): string {
  const undone = tables.map(
    (table) =>
      `drop index ${table}_dead; alter table ${table} drop column open_claims; alter table ${table} drop column quarantined_at;`,
  );
  return `${undone.join(" ")} alter table reread drop column lease;`;
}

test("finds the codes and attachments of messages that a release without indexes of parts stored", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  const { id } = await store.createServer(aServer());
  const messages = [{ code: ["804219"] }, { attachment: ["a.pdf"] }, { inline: ["b.png"] }, {}].map((fields) =>
    draft(id, { fields }),
  );
  await store.addMessages(messages);
  await store.close();
  {
    using database = new DatabaseSync(path.join(directory, databaseFileName));
    database.exec(`${withoutQuarantine()} drop index subject_with_attachment; drop index subject_with_inline; drop index subject_with_code;
      alter table state drop column commit_count; pragma user_version = 34`);
  }
  const again = await openSqliteStore({ directory, durable: false });
  const found = await Promise.all(
    (["code", "attachment", "inline"] as const).map(async (part) =>
      (await again.findExpression(id, { kind: "present", part }, page())).identities.map((one) => one.id),
    ),
  );
  expect(found).toEqual(messages.slice(0, 3).map((message) => [message.id]));
  await again.close();
});

test("counts the annotations that every server already stores", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  const { id } = await store.createServer(aServer());
  await store.addMessages([{ ...draft(id), annotations: [{ kind: "scan", json: "[1]" }] }, draft(id)]);
  const counted = (await store.getServer(id))?.bytes ?? 0;
  await store.close();
  {
    using database = new DatabaseSync(path.join(directory, databaseFileName));
    database.exec(`${withoutQuarantine()} update server set byte_count = byte_count - 3; alter table server drop column uid_validity;
      alter table state drop column uid_validity; alter table gram_segment drop column has_fields;
      alter table state drop column commit_count; pragma user_version = 29`);
  }
  const again = await openSqliteStore({ directory, durable: false });
  expect((await again.getServer(id))?.bytes).toBe(counted);
  await again.close();
});

test("counts the bytes that every server already stores", async () => {
  const directory = await aDirectory();
  const file = path.join(directory, databaseFileName);
  const store = await openSqliteStore({ directory, durable: false });
  const { id } = await store.createServer(aServer());
  const large = { raw: randomBytes(3_000_000) };
  const messages = [
    draft(id),
    draft(id, { direction: "Sent" }),
    draft(id, { raw: randomBytes(300_000) }),
    draft(id, large),
  ];
  await store.addMessages(messages);
  const counted = (await store.getServer(id))?.bytes;
  await store.close();
  {
    using database = new DatabaseSync(file);
    database.exec(`${withoutQuarantine(["outbox", "reread"])} alter table server drop column quota_messages; alter table server drop column quota_bytes;
      alter table server drop column uid_validity; alter table state drop column uid_validity;
      alter table server drop column byte_count; drop table provider_object; drop table scheduled_email; drop table scheduled_chunk;
      drop table callback_target; drop table callback_cursor; drop table callback_purge; drop table callback_delivery; drop table callback_report; drop table callback_failure; drop table annotation; drop table mark;
      drop table fault_rule; drop table fault_hit; drop table fault_triple; drop table scanner; drop table scan;
      drop index subject_with_outdated_fields; drop index subject_with_attachment; drop index subject_with_inline; drop index subject_with_code; alter table subject drop column fields; alter table subject drop column size; create table gram_set (number integer primary key, bytes blob);
      alter table gram_segment drop column has_fields;
      alter table state drop column commit_count; pragma user_version = 13`);
  }
  const again = await openSqliteStore({ directory, durable: false });
  expect((await again.getServer(id))?.bytes).toBe(counted);
  expect(counted).toBe(messages.reduce((sum, { raw, detailJson }) => sum + raw.length + detailJson.length, 0));
  await again.close();
});
