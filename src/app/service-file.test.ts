import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readServiceFile, removeServiceFile, writeServiceFile } from "./service-file.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-note-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

test.each([
  { pid: 1, url: "http://127.0.0.1:8025", operatorToken: "t" },
  { pid: 2, url: null, operatorToken: "" },
])("keeps %j", (address) => {
  writeServiceFile(dataDir, address);
  expect(readServiceFile(dataDir)).toEqual(address);
  expect(statSync(join(dataDir, "service.json")).mode & 0o777).toBe(0o600);
  removeServiceFile(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
});

test.each(["", "{", "null", "{}", '{"pid":"1","url":null}'])("takes %j for no note at all", (text) => {
  writeFileSync(join(dataDir, "service.json"), text);
  expect(readServiceFile(dataDir)).toBeUndefined();
});

test("knows of no service where nothing ever ran", () => {
  expect(readServiceFile(join(dataDir, "absent"))).toBeUndefined();
  expect(() => {
    removeServiceFile(dataDir);
  }).not.toThrow();
});
