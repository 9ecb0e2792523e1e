/** Link scanners through kill -9: mails arrive exactly once, and scans are not lost. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-scanners";
const servers = { early: "early123", late: "late1234" };
const environment = {
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: `${servers.early}:Early,${servers.late}:Late`,
  RESTANTE_LOG: "error",
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-scanner-crash-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const settings = async (): Promise<Record<string, string>> => ({ ...environment, ...(await storeSettings(folder)) });

/** Starts a page that does not answer until it is opened. */
async function servePage() {
  const requests: string[] = [];
  let isOpen = false;
  const app = createServer((request, response) => {
    requests.push(String(request.url));
    if (isOpen) response.end();
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  onTestFinished(() => {
    app.closeAllConnections();
    app.close();
  });
  return {
    base: `http://127.0.0.1:${String((app.address() as AddressInfo).port)}`,
    requests,
    open: () => void (isOpen = true),
  };
}

test("scans that kill -9 interrupts are repeated, and each mail arrives exactly once with its scan", async () => {
  const page = await servePage();
  const first = await ServiceProcess.start([`--data-dir=${folder}`], { environment: await settings() });
  for (const [when, server] of [
    ["before", servers.early],
    ["after", servers.late],
  ] as const) {
    const body = JSON.stringify({ profile: "custom", when });
    expect((await first.fetch(`/api/servers/${server}/scanner`, key, { method: "PUT", body })).status).toBe(200);
    await first.send(`x@${server}.restante.test`, `${when}\r\n\r\n${page.base}/${when}`);
  }
  await expect.poll(() => page.requests.toSorted(), { timeout: 20_000 }).toEqual(["/after", "/before"]);
  expect([await first.subjects(servers.early, key), await first.subjects(servers.late, key)]).toEqual([[], ["after"]]);
  await first.stop("SIGKILL");
  page.open();
  await using second = await LocalService.start([`--data-dir=${folder}`], await settings());
  for (const [when, server] of [
    ["before", servers.early],
    ["after", servers.late],
  ] as const) {
    const path = `/api/messages/search?server=${server}&timeout=60000`;
    const found = await second.fetch(path, key, { method: "POST", body: JSON.stringify({ subject: when }) });
    const messages = (await found.json()) as readonly { readonly id: string }[];
    expect(messages).toHaveLength(1);
    const scanPath = `/api/messages/${messages[0]?.id ?? ""}/scan`;
    await expect.poll(async () => (await second.fetch(scanPath, key)).status, { timeout: 20_000 }).toBe(200);
    const scan = await second.fetch(scanPath, key);
    expect(await scan.json()).toMatchObject({ when, result: "complete", requests: [{ status: 200 }] });
    expect(await second.subjects(server, key)).toEqual([when]);
  }
});
