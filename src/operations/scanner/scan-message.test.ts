import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { ScannerClient, type ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { getScan } from "./scan-queue.ts";
import { type HeldMail, MessageScanner } from "./scan-message.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const account = { keyId: "test", server: null };
const safelinks = { profile: "safelinks" } as const;

function openScanner(visit: (visit: ScannerVisit) => Promise<void>, closing = new AbortController().signal) {
  return new MessageScanner({ ...api.context, visit, closing });
}

/** Returns a client that may call this machine. */
function openClient(): (visit: ScannerVisit) => Promise<void> {
  const policy = createTargetPolicy({ origins: [], allowsLoopback: true, setting: "RESTANTE_SCANNER_ORIGINS" });
  const client = new ScannerClient({ policy, clock: api.clock });
  return (visit) => client.visit(visit);
}

/** Starts an application whose sign-in link works once, and for which HEAD does not count. */
async function openApplication(): Promise<{ readonly link: string; readonly signIns: () => number }> {
  let signIns = 0;
  const app = createServer((request, response) => {
    if (request.method === "GET") signIns += 1;
    response.writeHead(signIns > 1 ? 410 : 200).end();
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  onTestFinished(() => {
    app.closeAllConnections();
    app.close();
  });
  const link = `http://127.0.0.1:${String((app.address() as AddressInfo).port)}/sign-in?token=1`;
  return { link, signIns: () => signIns };
}

test("consumes a one-time link, as the scan shows", async () => {
  const { link, signIns } = await openApplication();
  const id = await api.deliver(server, { text: `Sign in: ${link}\n` });
  await expect(getScan(api.context, account, id)).rejects.toMatchObject({ code: "not_found" });
  expect(await openScanner(openClient()).scan(id, safelinks)).toBe("stored");
  expect(signIns()).toBe(1);
  expect((await fetch(link)).status).toBe(410);
  expect(await getScan(api.context, account, id)).toMatchObject({
    profile: "safelinks",
    result: "complete",
    urlCount: 1,
    requests: [
      { method: "HEAD", url: link, status: 200, error: null },
      { method: "GET", url: link, status: 200, error: null },
    ],
  });
});

test("does not show the scan to a key of another server", async () => {
  const id = await api.deliver(server, { text: "No link\n" });
  expect(await openScanner(openClient()).scan(id, safelinks)).toBe("stored");
  const other = await api.addServer("Other");
  const foreign = { keyId: "other", server: other.id };
  await expect(getScan(api.context, foreign, id)).rejects.toMatchObject({ code: "not_found" });
});

test("bounds the scan of a mail with 10,000 links", async () => {
  const text = Array.from({ length: 10_000 }, (_, at) => `http://a.example/${String(at)}`).join("\n");
  const id = await api.deliver(server, { text: `${text}\n` });
  let visitCount = 0;
  const visit = async (): Promise<void> => {
    visitCount += 1;
  };
  expect(await openScanner(visit).scan(id, { profile: "custom" })).toBe("stored");
  expect(visitCount).toBe(100);
  expect(await getScan(api.context, account, id)).toMatchObject({ result: "partial", skippedCount: 9900 });
});

/** Returns a client whose visits last until their signal aborts, and the URLs that it was asked for. */
function hangingClient() {
  const asked: string[] = [];
  const visit = async ({ url, signal }: ScannerVisit): Promise<void> => {
    asked.push(url);
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => {
      resolve();
    });
    await promise;
  };
  return { asked, visit };
}

test("ends when the message is deleted, before or during the scan", async () => {
  const { asked, visit } = hangingClient();
  const scanner = openScanner(visit);
  const id = await api.deliver(server, { text: "http://a.example/\n" });
  const scan = scanner.scan(id, safelinks);
  await expect.poll(() => asked.length).toBe(1);
  expect((await api.ask(`DELETE /api/messages/${id}`)).statusCode).toBe(204);
  expect(await scan).toBe("deleted");
  expect(await scanner.scan(id, safelinks)).toBe("deleted");
  expect(asked).toHaveLength(1);
});

test("ends when the service shuts down, running and waiting scans alike", async () => {
  const { asked, visit } = hangingClient();
  const closing = new AbortController();
  const scanner = openScanner(visit, closing.signal);
  const ids: MessageId[] = [];
  for (let at = 0; at < 3; at += 1) ids.push(await api.deliver(server, { text: `http://a${String(at)}.example/\n` }));
  const outcomes = Promise.all(ids.map((id) => scanner.scan(id, safelinks)));
  await expect.poll(() => asked.length).toBe(2);
  expect(scanner.waitingCount).toBe(1);
  closing.abort();
  expect(await outcomes).toEqual(["stopped", "stopped", "stopped"]);
});

test("scans a message of another server while many of one wait", async () => {
  const { asked, visit } = hangingClient();
  const closing = new AbortController();
  const scanner = openScanner(visit, closing.signal);
  const outcomes: Promise<unknown>[] = [];
  for (let at = 0; at < 20; at += 1) {
    outcomes.push(scanner.scan(await api.deliver(server, { text: `http://a${String(at)}.example/\n` }), safelinks));
  }
  const other = await api.addServer("Other");
  outcomes.push(scanner.scan(await api.deliver(other, { text: "http://other.example/\n" }), safelinks));
  await expect.poll(() => asked.length).toBe(3);
  expect(asked).toContain("http://other.example/");
  closing.abort();
  await Promise.all(outcomes);
});

/** Holds a mail for a scanner that works before, and returns what the scanner needs. */
async function holdMail(receiver: TestServer, text: string): Promise<HeldMail> {
  await api.ask(`PUT /api/servers/${receiver.id}/scanner`, { body: { profile: "safelinks" } });
  const id = await api.deliver(receiver, { text });
  const held = await api.context.store.scheduledMessages.getScheduledMessage(id);
  return { id, server: decodeMessageId(id).server, rawBytes: held?.rawBytes ?? 0 };
}

test("consumes a one-time link of a mail that has not arrived", async () => {
  const { link, signIns } = await openApplication();
  const mail = await holdMail(await api.addServer(), `Sign in: ${link}\n`);
  const report = await openScanner(openClient()).scanHeld(mail, safelinks);
  expect(signIns()).toBe(1);
  expect(report).toMatchObject({ when: "before", result: "complete", urlCount: 1, requests: [{}, { status: 200 }] });
});

test("skips held mails that wait for a minute, and stops when the service shuts down", async () => {
  const { asked, visit } = hangingClient();
  const closing = new AbortController();
  const scanner = openScanner(visit, closing.signal);
  const receiver = await api.addServer();
  const mails = [];
  for (let at = 0; at < 3; at += 1) mails.push(await holdMail(receiver, `http://a${String(at)}.example/\n`));
  const reports = mails.map((mail) => scanner.scanHeld(mail, safelinks));
  await expect.poll(() => asked.length).toBe(2);
  api.clock.advance(60_000);
  expect(await Promise.all(reports)).toMatchObject([
    { result: "partial" },
    { result: "partial" },
    { result: "skipped" },
  ]);
  const again = mails.map((mail) => scanner.scanHeld(mail, safelinks));
  await expect.poll(() => asked.length).toBe(4);
  closing.abort();
  expect(await Promise.all(again)).toEqual(["stopped", "stopped", "stopped"]);
});

test("reports a held mail that was deleted", async () => {
  const receiver = await api.addServer();
  const mail = await holdMail(receiver, "http://a.example/\n");
  await api.ask(`DELETE /api/messages?server=${receiver.id}`);
  expect(await openScanner(openClient()).scanHeld(mail, safelinks)).toBeUndefined();
});
