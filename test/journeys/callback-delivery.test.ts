/** Deliveries of callbacks over real sockets: receivers that misbehave, and a service that is killed. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startScriptedSmtpServer } from "../../src/testing/scripted-smtp-server.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const server = "hook1234";
const patience = { interval: 50 };

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly lastAttempt: { readonly responseStatus: number | null; readonly error: string | null } | null;
}

let folder: string;
let receiver: Receiver;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-callbacks-"));
  receiver = await openReceiver();
});
afterEach(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true });
});

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

interface Receiver {
  readonly url: string;
  /** Values of `webhook-id` by path, in order. */
  readonly received: Map<string, string[]>;
  readonly behaviours: Map<string, Behaviour>;
  readonly close: () => Promise<void>;
}

/** Application that responds 204 except on paths with another behaviour. */
async function openReceiver(): Promise<Receiver> {
  const received = new Map<string, string[]>();
  const behaviours = new Map<string, Behaviour>();
  const http = createServer((request, response) => {
    const path = request.url ?? "";
    received.set(path, [...(received.get(path) ?? []), String(request.headers["webhook-id"])]);
    request.resume();
    const behave = behaviours.get(path) ?? (() => response.writeHead(204).end());
    request.on("end", () => {
      behave(response, request);
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const close = async (): Promise<void> => {
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  };
  return { url: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`, received, behaviours, close };
}

async function environmentOf(dataDir: string): Promise<Record<string, string>> {
  return {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Hooks`,
    RESTANTE_OUTBOX_RETRY_MS: "50",
    ...(await storeSettings(dataDir)),
  };
}

/** Starts the service in a process that tests can kill. */
async function start(further: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const dataDir = join(folder, "data");
  const environment = { ...(await environmentOf(dataDir)), ...further };
  return ServiceProcess.start([`--data-dir=${dataDir}`], { environment });
}

async function startHere(further: Readonly<Record<string, string>> = {}): Promise<LocalService> {
  const dataDir = join(folder, "data");
  return LocalService.start([`--data-dir=${dataDir}`], { ...(await environmentOf(dataDir)), ...further });
}

async function ask<Answer>(service: ServiceAccess, line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await service.fetch(`/api/servers/${server}/${path}`, key, { method, ...content });
  if (!response.ok) throw new Error(`${line}: ${String(response.status)} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function addWebhook(service: ServiceAccess, path: string, fields: object = {}): Promise<string> {
  const { id } = await ask<{ id: string }>(service, "POST webhooks", { url: receiver.url + path, ...fields });
  return id;
}

async function ping(service: ServiceAccess, webhook: string, count = 1): Promise<void> {
  for (let number = 0; number < count; number += 1) await ask(service, `POST webhooks/${webhook}/ping`);
}

async function deliveryOf(service: ServiceAccess, webhook: string): Promise<Delivery> {
  const [first] = await ask<Delivery[]>(service, `GET deliveries?target=${webhook}`);
  if (first?.lastAttempt === null || first === undefined) throw new Error("no attempt yet");
  return first;
}

test("delivers all of 200 deliveries although the service is killed in the middle", async () => {
  const first = await start();
  const webhook = await addWebhook(first, "/all", { state: "paused" });
  await ping(first, webhook, 200);
  expect(receiver.received.size).toBe(0);
  await ask(first, `PUT webhooks/${webhook}`, { state: "active" });
  await vi.waitFor(
    () => {
      expect(receiver.received.get("/all")?.length).toBeGreaterThan(20);
    },
    { ...patience, interval: 1 },
  );
  await first.stop("SIGKILL");
  const beforeCount = receiver.received.get("/all")?.length ?? 0;
  await using second = await startHere();
  await vi.waitFor(() => {
    expect(new Set(receiver.received.get("/all")).size).toBe(200);
  }, patience);
  const { state } = await ask<{ state: string }>(second, `GET webhooks/${webhook}`);
  expect(state).toBe("active");
  // The killed process did not finish: otherwise this test would show nothing.
  expect(beforeCount).toBeLessThan(200);
});

test("reports every mail that was delivered although the service is killed in the middle", async () => {
  await using relay = await startScriptedSmtpServer();
  const to = "friend@outside.example";
  const outside = { RESTANTE_RELAY_URL: `smtp://localhost:${relay.port}`, RESTANTE_VERIFIED: to };
  const first = await start(outside);
  const webhook = await addWebhook(first, "/reports", { events: ["message.delivery"] });
  const body = JSON.stringify({ to, subject: "Hello", text: "x", send: true });
  const sent = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const response = await first.fetch(`/api/messages?server=${server}`, key, { method: "POST", body });
      return ((await response.json()) as { id: string }).id;
    }),
  );
  await vi.waitFor(
    () => {
      expect(relay.contents.length).toBeGreaterThan(20);
    },
    { ...patience, interval: 1 },
  );
  await first.stop("SIGKILL");
  await using second = await startHere(outside);
  const statuses = await Promise.all(
    sent.map(async (id) => {
      const response = await second.fetch(`/api/messages/${id}`, key);
      return ((await response.json()) as { delivery: { status: string } }).delivery.status;
    }),
  );
  const delivered = sent.filter((_, at) => statuses[at] === "Sent");
  await vi.waitFor(async () => {
    const path = `GET deliveries?target=${webhook}&type=message.delivery&itemsPerPage=1000`;
    const reported = (await ask<{ message: string }[]>(second, path)).map(({ message }) => message);
    expect(new Set(reported).size).toBe(reported.length);
    expect(delivered.filter((id) => !reported.includes(id))).toEqual([]);
  }, patience);
  expect(delivered.length).toBeGreaterThan(0);
});

test("retries receivers that fail or close the connection, and never follows redirects", async () => {
  await using service = await startHere();
  const behaviours: Record<string, Behaviour> = {
    "/fails": (response) => response.writeHead(receiver.received.get("/fails")?.length === 1 ? 500 : 204).end(),
    "/closes": (response) =>
      receiver.received.get("/closes")?.length === 1
        ? response.socket?.end("HTTP/1.1 200 OK\r\ncontent-le")
        : response.end(),
    "/moves": (response) => response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end(),
    "/gone": (response) => response.writeHead(410).end(),
    "/later": (response) => response.writeHead(503, { "retry-after": "3600" }).end(),
    "/cuts-body": (response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("begin", () => response.socket?.destroy());
    },
  };
  const ids: Record<string, string> = {};
  for (const [path, behave] of Object.entries(behaviours)) {
    receiver.behaviours.set(path, behave);
    ids[path] = await addWebhook(service, path);
    await ping(service, ids[path] ?? "");
  }
  const outcomeOf = (path: string): Promise<Delivery> => deliveryOf(service, ids[path] ?? "");
  await vi.waitFor(async () => {
    expect(await outcomeOf("/fails")).toMatchObject({ status: "Delivered", attemptCount: 2 });
    expect(await outcomeOf("/closes")).toMatchObject({ status: "Delivered", attemptCount: 2 });
    expect(await outcomeOf("/cuts-body")).toMatchObject({ status: "Delivered", attemptCount: 1 });
    expect(await outcomeOf("/moves")).toMatchObject({ status: "Pending", lastAttempt: { responseStatus: 307 } });
    expect(await outcomeOf("/gone")).toMatchObject({ status: "Failed", lastAttempt: { responseStatus: 410 } });
    expect(await outcomeOf("/later")).toMatchObject({ status: "Pending", attemptCount: 1 });
  }, patience);
  expect(receiver.received.has("/elsewhere")).toBe(false);
  const again = Date.parse((await outcomeOf("/later")).nextAttemptAt ?? "");
  expect(again - Date.now()).toBeGreaterThan(1_800_000);
  const gone = await ask<{ state: string; stateReason: string }>(service, `GET webhooks/${ids["/gone"] ?? ""}`);
  expect(gone).toMatchObject({ state: "disabled", stateReason: "The webhook responded with status 410" });
  // Every attempt of a delivery carries the same id.
  expect(new Set(receiver.received.get("/fails")).size).toBe(1);
});

test("30 receivers that never respond delay no other", async () => {
  await using service = await startHere();
  const hanging = Array.from({ length: 30 }, (_, number) => `/hangs/${String(number)}`);
  const openCounts = new Map<string, number>();
  let openMax = 0;
  for (const path of hanging) {
    receiver.behaviours.set(path, (response) => {
      const count = (openCounts.get(path) ?? 0) + 1;
      openCounts.set(path, count);
      openMax = Math.max(openMax, count);
      // After the time limit of an attempt, on a busy machine also within this test.
      response.on("close", () => openCounts.set(path, (openCounts.get(path) ?? 0) - 1));
    });
    await ping(service, await addWebhook(service, path), 2);
  }
  await vi.waitFor(() => {
    for (const path of hanging) expect(receiver.received.get(path)?.length).toBeGreaterThan(0);
  }, patience);
  await ping(service, await addWebhook(service, "/responds"), 40);
  await vi.waitFor(() => {
    expect(new Set(receiver.received.get("/responds")).size).toBe(40);
  }, patience);
  expect(openMax).toBeLessThanOrEqual(2);
});
