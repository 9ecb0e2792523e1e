import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  readRunningService,
  readServiceFile,
  removeServiceFile,
  writeServiceFile,
  type ServiceAddress,
} from "./service-file.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-note-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const full: ServiceAddress = {
  pid: process.pid,
  url: "http://127.0.0.1:8025",
  httpsUrl: "https://127.0.0.1:8443",
  smtp: { host: "127.0.0.1", port: 1025 },
  server: "abcd1234",
  caFile: "/srv/ca.pem",
  operatorToken: "token",
  mailDomain: "mail.example.com",
  intercepted: ["sendgrid"],
};

test.each([full, { ...full, url: null, httpsUrl: null, smtp: null, caFile: null }])("reads back %j", (address) => {
  writeServiceFile(dataDir, address);
  expect(readServiceFile(dataDir)).toEqual(address);
  expect(statSync(join(dataDir, "service.json")).mode & 0o777).toBe(0o600);
  removeServiceFile(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
});

const broken = Object.keys(full).map((name) => JSON.stringify({ ...full, [name]: { port: 1 } }));

test.each(["", "{", "null", "{}", ...broken])("returns undefined for a file that contains %j", (text) => {
  writeFileSync(join(dataDir, "service.json"), text);
  expect(readServiceFile(dataDir)).toBeUndefined();
});

test("returns undefined without a file", () => {
  expect(readServiceFile(join(dataDir, "absent"))).toBeUndefined();
  expect(() => {
    removeServiceFile(dataDir);
  }).not.toThrow();
});

test("keeps the file of another process", () => {
  writeServiceFile(dataDir, { ...full, pid: 1 });
  removeServiceFile(dataDir);
  expect(readServiceFile(dataDir)?.pid).toBe(1);
});

test("distinguishes the file of a running service from that of a crashed one", () => {
  writeServiceFile(dataDir, { ...full, pid: process.pid });
  expect(readRunningService(dataDir)).toEqual({ ...full, pid: process.pid });
  writeServiceFile(dataDir, { ...full, pid: 2 ** 30 });
  expect(readRunningService(dataDir)).toBeUndefined();
});
