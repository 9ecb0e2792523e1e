import { criteriaExpression } from "../../../core/search/build-expression.ts";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, afterAll, beforeAll } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { idsOf, textOf } from "../../conformance/setup.ts";
import { backupDatabase, backupFolder } from "./backup.ts";
import { openSqliteStore } from "../open.ts";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { newServerId } from "../../../core/ids.ts";
import { sameThread } from "../threads/same-thread.test-aid.ts";
import { restoreFolder } from "./restore.ts";

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

const names = ["api-key", "secret-key"];
const options = { names, now: Date.UTC(2026, 10, 27) };
const server = newServerId();
const message = draft(server, { raw: "raw ".repeat(500), body: "body" });

let folder: string;
let backup: string;
let bytes: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "restante-checksum-"));
  const directory = path.join(folder, "data");
  const store = await openSqliteStore({ directory, durable: false, threads: sameThread });
  await store.createServer(aServer({ id: server }));
  await store.addMessages([message]);
  await store.close();
  for (const name of names) writeFileSync(path.join(directory, name), `content of ${name}`);
  backup = path.join(folder, "backup");
  backupFolder(directory, backup, names);
  backupDatabase(directory, path.join(folder, "plain"));
  bytes = readFileSync(backup);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

let restoreCount = 0;

/** Returns what a restore rejects the file with; undefined when it restores it. */
function refusalOf(file: string): string | undefined {
  restoreCount += 1;
  const target = path.join(folder, `target${restoreCount}`);
  try {
    restoreFolder(file, target, options);
    return undefined;
  } catch (error) {
    return existsSync(path.join(target, "restante.db")) ? undefined : String(error);
  }
}

/** Returns seeded numbers from 0 to below the bound. */
function numbers(count: number, below: number): readonly number[] {
  let state = 20_261_127;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  });
}

test("a restore accepts an intact backup and a plain copy, and leaves no checksum in the database", async () => {
  for (const file of [backup, path.join(folder, "plain")]) {
    const target = path.join(folder, `of ${path.basename(file)}`);
    restoreFolder(file, target, options);
    expect(readFileSync(path.join(target, "restante.db")).length % 4096).toBe(0);
    const store = await openSqliteStore({ directory: target, durable: false, threads: sameThread });
    expect(textOf(await store.getRaw(message.id))).toBe(textOf(message.raw));
    await store.close();
  }
});

test("a restore rejects a backup in which any one bit has changed", () => {
  const changed = path.join(folder, "changed");
  // The last places are in the checksum itself.
  const places = [...numbers(150, bytes.length), ...numbers(40, 48).map((place) => bytes.length - 1 - place)];
  const accepted = places.filter((place, at) => {
    const flipped = Buffer.from(bytes);
    flipped[place] = (flipped[place] ?? 0) ^ (1 << (at % 8));
    writeFileSync(changed, flipped);
    return refusalOf(changed) === undefined;
  });
  expect(accepted).toEqual([]);
});

test("a restore rejects a backup of which the end is missing", () => {
  const short = path.join(folder, "short");
  const pages = Math.floor(bytes.length / 4096);
  const lengths = [...numbers(30, bytes.length), ...numbers(30, pages).map((page) => page * 4096), pages * 4096];
  const accepted = lengths.filter((length) => {
    copyFileSync(backup, short);
    truncateSync(short, length);
    return refusalOf(short) === undefined;
  });
  expect(accepted).toEqual([]);
  truncateSync(short, 4096 * 2);
  expect(refusalOf(short)).toContain("use another backup");
});
