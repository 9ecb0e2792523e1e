import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { connectReader, connectWriter, readNumber, walBytesMax } from "../connection/connection.ts";
import { migrate } from "../schema/schema.ts";
import { Maintenance } from "./maintenance.ts";
import { Writer } from "../threads/writer.ts";

test("truncates the write-ahead log once its readers have finished, without waiting for them", async () => {
  const file = path.join(await aDirectory(), "database");
  writeFileSync(file, "");
  using database = connectWriter({ file, durable: false, sizeBytesMax: null });
  migrate(database);
  const maintenance = new Maintenance(database, new Writer(database));
  const clock = vi.spyOn(performance, "now");
  onTestFinished(() => {
    clock.mockRestore();
  });
  const logBytes = () => statSync(`${file}-wal`).size;
  const laterMs = (ms: number) => {
    const now = performance.now();
    clock.mockImplementation(() => now + ms);
  };

  const reader = connectReader(file);
  reader.exec("begin; select * from server");
  const fill = database.prepare("insert into probe (filler) values (randomblob(1000000))");
  for (let megabyte = 0; megabyte < 40; megabyte += 1) fill.run();
  expect(logBytes()).toBeGreaterThan(walBytesMax);
  laterMs(2000);
  expect(maintenance.step()).toBe(false);
  expect(logBytes()).toBeGreaterThan(walBytesMax);
  reader.close();
  expect(maintenance.step()).toBe(false);
  expect(logBytes()).toBeGreaterThan(walBytesMax);
  laterMs(4000);
  expect(maintenance.step()).toBe(false);
  expect(logBytes()).toBe(0);
});

test.each([
  [true, 2],
  [false, 0],
])("a store with durable: %s commits at synchronous level %d, also after maintenance", async (durable, level) => {
  const file = path.join(await aDirectory(), "database");
  writeFileSync(file, "");
  using database = connectWriter({ file, durable, sizeBytesMax: null });
  migrate(database);
  database.exec("insert into purge (epoch, server, message_count) values (1, null, 0)");
  expect(readNumber(database, "pragma synchronous")).toBe(level);
  expect(new Maintenance(database, new Writer(database)).step()).toBe(true);
  expect(readNumber(database, "pragma synchronous")).toBe(level);
  expect(database.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test.each([
  ["in one step when few pages are in use", 100, 1],
  ["in small steps when moving all pages in use would take long", 2400, 50],
])("returns free pages %s", async (_, keptPageCount, stepCountMin) => {
  const file = path.join(await aDirectory(), "database");
  writeFileSync(file, "");
  using database = connectWriter({ file, durable: false, sizeBytesMax: null });
  migrate(database);
  const maintenance = new Maintenance(database, new Writer(database));
  const fill = database.prepare("insert into probe (filler) values (randomblob(?))");
  database.exec("begin");
  for (let page = 0; page < 8000; page += 1) fill.run(3900);
  // Those at the end of the file are kept, so that they move.
  for (let page = 0; page < keptPageCount; page += 1) fill.run(3901);
  database.exec("delete from probe where length(filler) = 3900; commit");
  let stepCount = 0;
  while (readNumber(database, "pragma freelist_count") > 1024) {
    expect(maintenance.step()).toBe(true);
    stepCount += 1;
  }
  expect(stepCount).toBeGreaterThanOrEqual(stepCountMin);
  if (stepCountMin === 1) expect(stepCount).toBe(1);
  expect(readNumber(database, "select count(*) from probe where length(filler) = 3901")).toBe(keptPageCount);
  expect(readNumber(database, "pragma auto_vacuum")).toBe(2);
  expect(database.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
});
