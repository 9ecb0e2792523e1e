import { execFile } from "node:child_process";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft } from "../../conformance/drafts.ts";
import { openSqliteStore } from "../open.ts";
import { startEarlyWriter } from "./early-writer.ts";

let started: Worker[];
const note = (worker: Worker): void => void started.push(worker);
beforeEach(() => {
  started = [];
  process.on("worker", note);
});
afterEach(() => {
  process.off("worker", note);
});

test("becomes the writer of the first store that opens, and the next store starts its own", async () => {
  startEarlyWriter();
  for (const count of [1, 2]) {
    const store = await openSqliteStore({ directory: await aDirectory(), durable: false });
    const { id } = await store.createServer(aServer());
    expect(await store.addMessages([draft(id)])).toMatchObject([{ outcome: "stored" }]);
    expect(started).toHaveLength(count);
    await store.close();
  }
});

test("is replaced by the store when it has exited", async () => {
  startEarlyWriter();
  // The event of the new thread.
  await setImmediate();
  await started[0]?.terminate();
  const store = await openSqliteStore({ directory: await aDirectory(), durable: false });
  expect(started).toHaveLength(2);
  await store.close();
});

test("does not keep a process alive that opens no store", async () => {
  const url = pathToFileURL(join(import.meta.dirname, "early-writer.ts")).href;
  const program = `(await import(${JSON.stringify(url)})).startEarlyWriter(); console.log("started");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(stdout).toBe("started\n");
});
