import { criteriaExpression } from "../../../core/search/criteria-expression.ts";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { idsOf, textOf } from "../../conformance/setup.ts";
import { backupDatabase } from "./backup.ts";
import { openSqliteStore } from "../open.ts";

test("contains everything committed before it and only whole messages, and opens as a store", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: true });
  const { id: server } = await store.createServer(aServer());
  const before = Array.from({ length: 100 }, () => draft(server, { raw: "raw", body: "body" }));
  await store.addMessages(before);
  const during = Array.from({ length: 100 }, () => store.addMessages([draft(server, { raw: "raw", body: "body" })]));
  const target = path.join(directory, "restored");
  await (await openSqliteStore({ directory: target, durable: true })).close();
  const copy = path.join(directory, "copy.db");
  backupDatabase(directory, copy);
  await Promise.all(during);
  await store.close();

  await writeFile(path.join(target, "restante.db"), await readFile(copy));
  const restored = await openSqliteStore({ directory: target, durable: true });
  const listed = idsOf(await restored.listMessages(server, page({ itemsPerPage: 1000 })));
  for (const { id } of before) expect(listed).toContain(id);
  for (const id of listed) expect(textOf(await restored.getRaw(id))).toBe("raw");
  expect((await restored.listChanges(server, 0, 1000))?.length).toBe(listed.length);
  const found = await restored.searchMessages(
    server,
    criteriaExpression({ body: "body", match: "ALL" }),
    page({ itemsPerPage: 1000 }),
  );
  expect(idsOf(found)).toEqual(listed);
  expect((await restored.addMessages([draft(server)]))[0]).toMatchObject({ outcome: "stored" });
  await restored.close();
});

test("works from another process, whether a service runs or not", async () => {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: true });
  await store.createServer(aServer({ name: "Kept" }));
  backupDatabase(directory, path.join(directory, "running"));
  await store.createServer(aServer());
  await store.close();
  backupDatabase(directory, path.join(directory, "stopped"));
  for (const [file, count] of [
    ["running", 1],
    ["stopped", 2],
  ] as const) {
    using database = new DatabaseSync(path.join(directory, file));
    expect(database.prepare("select count(*) as count from server").get()).toEqual({ count });
    expect((await stat(path.join(directory, file))).mode & 0o777).toBe(0o600);
  }
});

test("never writes over an existing file", async () => {
  const directory = await aDirectory();
  await (await openSqliteStore({ directory, durable: true })).close();
  const file = path.join(directory, "taken");
  await writeFile(file, "precious");
  expect(() => {
    backupDatabase(directory, file);
  }).toThrow(file);
  expect((await stat(file)).size).toBe(8);
});

test("fails without a database and leaves no file behind", async () => {
  const directory = await aDirectory();
  const file = path.join(directory, "copy");
  expect(() => {
    backupDatabase(directory, file);
  }).toThrow(`There is no database at ${directory}`);
  await expect(stat(file)).rejects.toThrow("ENOENT");
});

test("leaves no file behind when it fails", async () => {
  const directory = await aDirectory();
  await writeFile(path.join(directory, "restante.db"), "no database at all".repeat(1000));
  expect(() => {
    backupDatabase(directory, path.join(directory, "copy"));
  }).toThrow("not a database");
  await expect(stat(path.join(directory, "copy"))).rejects.toThrow("ENOENT");
});
