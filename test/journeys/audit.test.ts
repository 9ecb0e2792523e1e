/** Audit log and debug log, as an operator reads them. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WireAuditEntry } from "../../src/http/wire/account-schema.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const server = "jrny1234";
/** Allows for several process starts on a busy machine. */

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-audit-"));
  dataDir = join(folder, "data");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const settings = async (): Promise<Record<string, string>> => ({
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: `${server}:Journey`,
  RESTANTE_LOG: "debug",
  ...(await storeSettings(dataDir)),
});
const start = async (): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${dataDir}`], { environment: await settings() });
const startHere = async (): Promise<LocalService> => LocalService.start([`--data-dir=${dataDir}`], await settings());
const entriesOf = async (service: ServiceAccess): Promise<readonly WireAuditEntry[]> =>
  (await (await service.fetch("/api/audit", key)).json()) as readonly WireAuditEntry[];

test("the audit log lists what commands did beside the service and while it was stopped", async () => {
  const tool = async (...argv: string[]): Promise<string> => {
    const ending = await runLocally([...argv, `--data-dir=${dataDir}`], { environment: await settings() });
    expect(ending.code).toBe(0);
    return ending.out.trim();
  };
  const service = await startHere();
  await service.fetch(`/api/servers/${server}`, key, { method: "PUT", body: JSON.stringify({ name: "Renamed" }) });
  await tool("export", join(folder, "all.ndjson"), "--quiet");
  await service.stop();
  const secret = await tool("keys", "create", "--name=CI", "--scope=read");
  await using again = await startHere();
  const entries = await entriesOf(again);
  expect(entries.map(({ by, action }) => `${by} ${action}`)).toEqual([
    "command key.create",
    "command store.export",
    "key server.update",
  ]);
  const file = join(dataDir, "audit.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = readFileSync(file, "utf8");
  expect(lines).toContain('"action":"server.update"');
  expect(lines + JSON.stringify(entries)).not.toContain(secret);
});

test("logs no secret from a query string, not even at debug level", async () => {
  await using service = await start();
  const secrets = [key, "wr0ng-s3cret"];
  const paths = secrets.flatMap((secret) => [
    `/api/servers?key=${secret}`,
    `/sms/json?api_key=x&api_secret=${secret}&from=App&to=15550100&text=Hi`,
    `/nowhere?api_secret=${secret}`,
    `/%zz?key=${secret}`,
    `/servers/${server}?key=${secret}`,
  ]);
  for (const path of paths) {
    for (const method of ["GET", "POST"]) {
      const response = await fetch(service.url + path, { method });
      await response.arrayBuffer();
    }
  }
  const { error } = await service.stop();
  expect(error.match(/"request answered"/g)?.length).toBeGreaterThanOrEqual(paths.length);
  for (const secret of secrets) expect(error).not.toContain(secret);
});
