import { criteriaExpression } from "../../../core/search/build-expression.ts";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { readNumber } from "../connection/connection.ts";
import { openSqliteStore } from "../open.ts";
import type { NewMessage } from "../../store.ts";
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

describe("a further migration of a filled database", () => {
  const further = "create table further (x text) strict; insert into further select id from server;";
  let directory = "";
  let messages: readonly NewMessage[] = [];

  beforeEach(async () => {
    directory = await aDirectory();
    const store = await openSqliteStore({ directory, durable: false });
    const { id } = await store.createServer(aServer());
    messages = [draft(id, { subject: "kept" }), draft(id, { raw: randomBytes(3_000_000), direction: "Sent" })];
    await store.addMessages(messages);
    await store.close();
  });

  const openDatabase = (): DatabaseSync => new DatabaseSync(path.join(directory, databaseFileName));
  /** Opens the store with the schema of this release and expects all messages. */
  const expectMessages = async (): Promise<void> => {
    const store = await openSqliteStore({ directory, durable: false });
    for (const { id, raw } of messages) expect(Buffer.from((await store.getRaw(id)) ?? "")).toEqual(Buffer.from(raw));
    await store.close();
  };

  test("keeps all rows, and prevents this release from opening the database", async () => {
    {
      using database = openDatabase();
      migrate(database, [...migrations, further]);
      expect(readNumber(database, "pragma user_version")).toBe(schemaVersion + 1);
      expect(readNumber(database, "select count(*) from further")).toBe(1);
      migrate(database, [...migrations, further]);
      expect(readNumber(database, "select count(*) from further")).toBe(1);
    }
    await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow(`version ${schemaVersion + 1}`);
    {
      using database = openDatabase();
      database.exec(`pragma user_version = ${schemaVersion}`);
    }
    await expectMessages();
  });

  test("leaves the previous version when it fails", async () => {
    {
      using database = openDatabase();
      expect(() => {
        migrate(database, [...migrations, `${further} insert into nowhere values (1);`]);
      }).toThrow("nowhere");
    }
    {
      using database = openDatabase();
      expect(readNumber(database, "pragma user_version")).toBe(schemaVersion);
      expect(readNumber(database, "select count(*) from sqlite_schema where name = 'further'")).toBe(0);
    }
    await expectMessages();
  });
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
  await store.searchMessages(id, criteriaExpression({ body: "x", match: "ALL" }), page());
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
