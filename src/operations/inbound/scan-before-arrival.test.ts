import { afterAll, beforeAll, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { ScanReport } from "../../core/scanner.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { receiveEmail } from "./receive-email.ts";
import type { MessageScanner } from "../scanner/scan-message.ts";
import { unmadeScan } from "../scanner/scan-urls.ts";
import { arriveDue } from "./arrive-due.test-aid.ts";
import type { Arrival } from "./arrive-scheduled.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const session = {
  clientAddress: "192.0.2.1",
  ehlo: "app",
  tls: null,
  protocol: "ESMTP",
  authenticatedAs: null,
} as const;

async function aScannedServer(delayMs = 0): Promise<TestServer> {
  const server = await api.addServer();
  await api.ask(`PUT /api/servers/${server.id}/scanner`, { body: { profile: "custom", when: "before", delayMs } });
  return server;
}

interface Arrivals {
  readonly begun: readonly Arrival[];
  readonly scanned: readonly Arrival[];
  readonly failures: readonly unknown[];
}

/** Lets due messages arrive, and waits for those that are scanned first. */
async function arrive(scanHeld: MessageScanner["scanHeld"]): Promise<Arrivals> {
  const started: Promise<Arrival>[] = [];
  const failures: unknown[] = [];
  const scans = {
    scanner: { scanHeld },
    onStarted: (arrival: Promise<Arrival>) => void started.push(arrival),
    onFailed: (error: unknown) => void failures.push(error),
  };
  const begun = await arriveDue(api.context, scans);
  return { begun, scanned: await Promise.all(started), failures };
}

async function listed({ id }: TestServer): Promise<readonly { readonly id: string }[]> {
  return (await api.ask(`GET /api/messages?server=${id}`)).json();
}

function report(): ScanReport {
  return {
    ...unmadeScan({ profile: "custom", when: "before", result: "skipped" }, api.clock.now()),
    result: "complete",
  };
}

test("a mail becomes visible with its scan, and is not scanned again", async () => {
  const server = await aScannedServer();
  await api.deliver(server, { text: "Hello\n" });
  const { begun, scanned } = await arrive(async () => {
    expect(await listed(server)).toEqual([]);
    return report();
  });
  expect([begun, scanned].flat().map(({ outcome }) => outcome)).toEqual(["scanning", "arrived"]);
  const [message] = await listed(server);
  expect((await api.ask(`GET /api/messages/${message?.id ?? ""}/scan`)).json()).toMatchObject({ result: "complete" });
  expect((await api.context.store.scanners.queue.countPending()).count).toBe(0);
});

test("the scan begins after the delay", async () => {
  const server = await aScannedServer(5000);
  await api.deliver(server, { text: "Hello\n" });
  api.clock.advance(4999);
  expect((await arrive(async () => report())).begun).toEqual([]);
  api.clock.advance(1);
  expect((await arrive(async () => report())).scanned).toMatchObject([{ outcome: "arrived" }]);
});

test("a mail whose scan fails becomes visible, and is scanned afterwards", async () => {
  const server = await aScannedServer();
  await api.deliver(server, { text: "Hello\n" });
  const error = new Error("the analysis failed");
  const { scanned, failures } = await arrive(async () => Promise.reject(error));
  expect([scanned, failures]).toMatchObject([[{ outcome: "arrived" }], [error]]);
  expect(await listed(server)).toHaveLength(1);
  expect((await api.context.store.scanners.queue.countPending()).count).toBe(1);
  await api.ask(`DELETE /api/servers/${server.id}/scanner`);
});

test("a mail is due again when the service shuts down, and becomes visible without a scan at the fourth attempt", async () => {
  const server = await aScannedServer();
  await api.deliver(server, { text: "Hello\n" });
  for (let attempts = 1; attempts <= 3; attempts += 1) {
    expect((await arrive(async () => "stopped")).scanned).toMatchObject([
      { attempts, outcome: "postponed", error: null },
    ]);
  }
  expect((await arrive(async () => "stopped")).begun).toMatchObject([{ attempts: 4, outcome: "arrived" }]);
  expect(await listed(server)).toHaveLength(1);
  await api.ask(`DELETE /api/servers/${server.id}/scanner`);
});

test("a mail does not arrive when its server is emptied during the scan", async () => {
  const server = await aScannedServer();
  await api.deliver(server, { text: "Hello\n" });
  const { scanned } = await arrive(async () => {
    await api.ask(`DELETE /api/messages?server=${server.id}`);
    return report();
  });
  expect(scanned).toMatchObject([{ outcome: "withdrawn" }]);
  expect((await arrive(async () => report())).begun).toMatchObject([{ outcome: "deleted" }]);
  expect(await listed(server)).toEqual([]);
});

test("a mail arrives without a scan when the scanner was removed meanwhile", async () => {
  const server = await aScannedServer();
  await api.deliver(server, { text: "Hello\n" });
  await api.ask(`DELETE /api/servers/${server.id}/scanner`);
  expect((await arrive(async () => report())).begun).toMatchObject([{ outcome: "arrived" }]);
});

test("a mail is stored at once and scanned afterwards when the server holds too many", async () => {
  const server = await aScannedServer();
  const { store } = api.context;
  const scheduledMessages = {
    ...store.scheduledMessages,
    addScheduledMessages: async () => Promise.reject(new Problem("limit_reached")),
  };
  const recipients = [{ address: `a@${server.id}.restante.test`, server: server.id }];
  const arrival = { raw: Buffer.from("Subject: x\r\n\r\nHello\r\n"), session, mailFrom: "app@a.example", recipients };
  const context = { ...api.context, store: { ...store, scheduledMessages } };
  const [id] = await receiveEmail(context, arrival);
  expect(await listed(server)).toMatchObject([{ id }]);
  expect((await store.scanners.queue.countPending()).count).toBe(1);
  const late = [{ server: server.id, deliverAfterMs: 5 }];
  await expect(receiveEmail(context, { ...arrival, late })).rejects.toMatchObject({ code: "limit_reached" });
  await api.ask(`DELETE /api/servers/${server.id}/scanner`);
});
