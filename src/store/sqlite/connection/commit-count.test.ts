import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { idsOf } from "../../conformance/setup.ts";
import type { ServerId } from "../../../core/ids.ts";
import { openSqliteStore } from "../open.ts";
import { commitCountFileName } from "./commit-count.ts";

let folder: string;
let crashed: string;
let server: ServerId;
const inCrashed = (name: string): string => path.join(crashed, name);
const log = "restante.db-wal";
const files = ["restante.db", log, commitCountFileName];

/** Copies the files of an open store, as a crash would leave them. */
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "restante-commits-"));
  crashed = path.join(folder, "crashed");
  mkdirSync(crashed);
  const directory = path.join(folder, "data");
  const store = await openSqliteStore({ directory, durable: true });
  server = (await store.createServer(aServer())).id;
  for (let count = 0; count < 5; count += 1) await store.addMessages([draft(server)]);
  for (const name of files) copyFileSync(path.join(directory, name), inCrashed(name));
  await store.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true, maxRetries: 20 });
});

const open = async () => openSqliteStore({ directory: crashed, durable: true });

/** Returns the number of messages with which the directory opens. */
async function countMessages(): Promise<number> {
  const store = await open();
  try {
    return idsOf(await store.listMessages(server, page())).length;
  } finally {
    await store.close();
  }
}

test("a store opens after a crash, and again after it was closed", async () => {
  expect([await countMessages(), await countMessages()]).toEqual([5, 5]);
});

test.each([
  ["is missing", () => rmSync(inCrashed(log))],
  ["is empty", () => truncateSync(inCrashed(log))],
  ["was cut", () => truncateSync(inCrashed(log), statSync(inCrashed(log)).size - 4096)],
])("a store whose write-ahead log %s is not opened until the log is back", async (_, lose) => {
  const kept = path.join(folder, "log");
  copyFileSync(inCrashed(log), kept);
  lose();
  await expect(open()).rejects.toThrow(/lacks [1-5] of the 5 commits.*write-ahead log.*restante\.commits/);
  await expect(open()).rejects.toThrow("Put the log back");
  copyFileSync(kept, inCrashed(log));
  expect(await countMessages()).toBe(5);
});

test("a store is opened without the missing commits when the operator has removed the count", async () => {
  truncateSync(inCrashed(log), statSync(inCrashed(log)).size - 4096);
  rmSync(inCrashed(commitCountFileName));
  expect(await countMessages()).toBe(4);
});

test("a store whose file has no valid count is opened", async () => {
  truncateSync(inCrashed(commitCountFileName), 3);
  expect(await countMessages()).toBe(5);
  expect(existsSync(inCrashed(commitCountFileName))).toBe(true);
});
