import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newServerId } from "../../../core/ids.ts";
import { aServer, draft } from "../../conformance/drafts.ts";
import { textOf } from "../../conformance/setup.ts";
import { openSqliteStore } from "../open.ts";
import { sameThread } from "../threads/same-thread.test-aid.ts";
import { backupDatabase, backupFolder } from "./backup.ts";
import { restoreFolder } from "./restore.ts";

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
