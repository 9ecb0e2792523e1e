/** Work that ends the service at each attempt: it is quarantined at the third start, and a delivery goes out when retried by hand. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { quarantineReason } from "../../src/core/quarantine.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { startScriptedSmtpServer } from "../../src/testing/scripted-smtp-server.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const server = "quar1234";
const patience = { interval: 50 };

let folder: string;
/** Paths of the requests that the application received, in order. */
let received: string[];
/** Requests without a response. */
let held: ServerResponse[];
let isHolding: boolean;
let url: string;
let close: () => Promise<void>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-quarantine-"));
  [received, held, isHolding] = [[], [], true];
  const http = createServer((request, response) => {
    received.push(request.url ?? "");
    request.resume();
    request.on("end", () => {
      if (isHolding && request.url?.startsWith("/poison") === true) held.push(response);
      else response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
  close = async () => {
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  };
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

const countOf = (path: string): number => received.filter((one) => one === path).length;

async function start(further: Record<string, string> = {}): Promise<ServiceProcess> {
  const dataDir = join(folder, "data");
  const environment = {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Quarantine`,
    RESTANTE_OUTBOX_RETRY_MS: "50",
    ...(await storeSettings(dataDir)),
    ...further,
  };
  return ServiceProcess.start([`--data-dir=${dataDir}`], { environment });
}

async function ask<Answer>(service: ServiceAccess, line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await service.fetch(path, key, { method, ...content });
  if (!response.ok) throw new Error(`${line}: ${String(response.status)} ${await response.text()}`);
  return (await response.json()) as Answer;
}

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly lastAttempt: { readonly error: string | null } | null;
}

const ofServer = `/api/servers/${server}`;

async function ping(service: ServiceAccess, path: string): Promise<void> {
  const { id } = await ask<{ id: string }>(service, `POST ${ofServer}/webhooks`, { url: url + path });
  await ask(service, `POST ${ofServer}/webhooks/${id}/ping`);
}

/** Waits until the application has received so many requests for the poisonous delivery. */
async function attempted(count: number): Promise<void> {
  await vi.waitFor(() => {
    expect(countOf("/poison")).toBe(count);
  }, patience);
}

test("quarantines a delivery whose attempts have ended the process twice, and delivers it when retried", async () => {
  const first = await start();
  await ping(first, "/poison");
  await attempted(1);
  await first.stop("SIGKILL");
  const second = await start();
  await attempted(2);
  await second.stop("SIGKILL");

  await using third = await start();
  const quarantined = await vi.waitFor(async () => {
    const [work, ...others] = await ask<Delivery[]>(third, `GET ${ofServer}/deliveries?status=Quarantined`);
    expect(others).toEqual([]);
    if (work === undefined) throw new Error("not quarantined yet");
    return work;
  }, patience);
  expect(quarantined.lastAttempt?.error).toBe(quarantineReason);
  const { id } = quarantined;
  expect(await ask(third, "GET /api/quarantine")).toMatchObject([{ queue: "deliveries", id, attempts: 2 }]);
  await vi.waitFor(async () => {
    const { tasks } = await ask<{ tasks: { task: string; backlog: number }[] }>(third, "GET /api/status");
    expect(tasks.find(({ task }) => task === "quarantine_deliveries")?.backlog).toBe(1);
  }, patience);
  expect(third.errors.split("work quarantined").length - 1).toBe(1);

  await ping(third, "/innocent");
  await vi.waitFor(() => {
    expect(countOf("/innocent")).toBe(1);
  }, patience);
  expect(countOf("/poison")).toBe(2);
  isHolding = false;
  expect(await ask(third, "POST /api/quarantine/retry", { queue: "deliveries", id })).toEqual({ replayed: 1 });
  await vi.waitFor(async () => {
    expect((await ask<Delivery>(third, `GET ${ofServer}/deliveries/${id}`)).status).toBe("Delivered");
  }, patience);
  expect(countOf("/poison")).toBe(3);
  expect(await ask(third, "GET /api/quarantine")).toEqual([]);
});

test("quarantines outbound mail, scans and held mail whose attempts have ended the process twice, and shows why", async () => {
  await using relay = await startScriptedSmtpServer({ script: { GREETING: ["stall"] } });
  const servers = { before: "early123", after: "later123" };
  const settings = {
    RESTANTE_SERVERS: `${server}:Outbound,${servers.before}:Before,${servers.after}:After`,
    RESTANTE_RELAY_URL: `smtp://127.0.0.1:${String(relay.port)}`,
    RESTANTE_VERIFIED: "@outside.example",
  };
  const attemptedAll = async (count: number): Promise<void> => {
    await vi.waitFor(() => {
      const counts = [relay.connections.length, countOf("/poison-before"), countOf("/poison-after")];
      expect(counts).toEqual([count, count, count]);
    }, patience);
  };
  const first = await start(settings);
  const mail = { to: "friend@outside.example", subject: "Out", text: "Hello", send: true };
  const { id: sent } = await ask<{ id: string }>(first, `POST /api/messages?server=${server}`, mail);
  for (const [when, id] of Object.entries(servers)) {
    await ask(first, `PUT /api/servers/${id}/scanner`, { profile: "custom", when });
    await first.send(`x@${id}.restante.test`, `${when}\r\n\r\n${url}/poison-${when}`);
  }
  await attemptedAll(1);
  await first.stop("SIGKILL");
  const second = await start(settings);
  await attemptedAll(2);
  await second.stop("SIGKILL");

  await using third = await start(settings);
  const [scanned] = await ask<{ id: string }[]>(third, `GET /api/messages?server=${servers.after}`);
  await vi.waitFor(async () => {
    const works = await ask<{ queue: string }[]>(third, "GET /api/quarantine");
    expect(works.toSorted((a, b) => a.queue.localeCompare(b.queue))).toMatchObject([
      { queue: "outbox", message: sent, attempts: 2 },
      { queue: "scans", message: scanned?.id, attempts: 2 },
      { queue: "scheduled", message: null, attempts: 2 },
    ]);
  }, patience);
  expect(await ask(third, `GET /api/servers/${servers.before}/held`)).toMatchObject([{ error: quarantineReason }]);
  await vi.waitFor(async () => {
    const scan = await ask(third, `GET /api/messages/${scanned?.id ?? ""}/scan`);
    expect(scan).toMatchObject({ when: "after", result: "quarantined" });
  }, patience);
  await attemptedAll(2);
});

test("does not count attempts that a graceful stop has cut off", async () => {
  for (const count of [1, 2, 3]) {
    const service = await start();
    if (count === 1) await ping(service, "/poison");
    await attempted(count);
    expect(await ask(service, "GET /api/quarantine")).toEqual([]);
    await service.stop("SIGTERM");
  }
});
