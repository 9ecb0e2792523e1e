import { afterAll, beforeAll, expect, test } from "vitest";
import { holdMessage } from "../../../operations/inbound/held-messages.ts";
import type { ScheduledContent } from "../../../operations/inbound/arriving-records.ts";
import { deathCountMax, quarantineReason } from "../../../core/quarantine.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, TestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const hit = { rule: "late", stage: "after-data", action: "deliver-later" } as const;

async function hold(delayMs: number, content: ScheduledContent): Promise<string> {
  const raw = "sms" in content ? new Uint8Array() : Buffer.from("Subject: x\r\n\r\n");
  return holdMessage(api.context, { server: server.id, delayMs, compose: () => ({ content, raw }) });
}

test("lists mails and SMS in the order in which they become visible, by pages", async () => {
  const to = `anna@${server.id}.restante.test`;
  const copies = [{ server: server.id, recipients: Array.from({ length: 25 }, () => to) }];
  const faults = [
    { ...hit, server: server.id },
    { ...hit, server: null, rule: "service" },
    { ...hit, server: "other123" as typeof server.id, rule: "foreign" },
  ];
  const accepted = new Date(api.clock.now()).toISOString();
  const origin = { name: "acme", id: "1", tags: [], metadata: {}, template: null, scheduledAt: null };
  const mail = await hold(2000, { origin: null, mailFrom: "a@b.example", copies, isComposed: false, faults });
  const sms = { from: "+15550100", to: "+15550101", text: "x", origin, callback: null, faults: [] };
  const text = await hold(1000, { sms });
  const path = `GET /api/servers/${server.id}/held`;
  const reply = await api.ask(path, { key: server.key });
  const at = (ms: number): string => new Date(Date.parse(accepted) + ms).toISOString();
  expect([reply.statusCode, reply.json()]).toEqual([
    200,
    [
      {
        id: text,
        type: "SMS",
        accepted,
        visibleAt: at(1000),
        scanAt: null,
        from: "+15550100",
        to: ["+15550101"],
        recipients: 1,
        sizeBytes: 0,
        provider: "acme",
        faults: [],
        error: null,
      },
      {
        id: mail,
        type: "Email",
        accepted,
        visibleAt: at(2000),
        scanAt: null,
        from: "a@b.example",
        to: Array.from({ length: 20 }, () => to),
        recipients: 25,
        sizeBytes: 14,
        provider: null,
        faults: ["late", "service"],
        error: null,
      },
    ],
  ]);
  const first = await api.ask(`${path}?itemsPerPage=1`);
  expect([first.json<unknown[]>().length, first.headers["link"]]).toEqual([
    1,
    `</api/servers/${server.id}/held?page=1&itemsPerPage=1>; rel="next"`,
  ]);
  expect((await api.ask(`${path}?itemsPerPage=1&page=1`)).json()).toMatchObject([{ id: mail }]);
  await api.context.store.scanners.setScanner(server.id, '{"profile":"safelinks"}');
  expect((await api.ask(path)).json()).toMatchObject([
    { id: text, visibleAt: at(1000), scanAt: null },
    { id: mail, visibleAt: at(122_000), scanAt: at(2000) },
  ]);
});

test("says why a quarantined message does not become visible", async () => {
  const { scheduledMessages, quarantine } = api.context.store;
  const own = await api.addServer();
  const copies = [{ server: own.id, recipients: [`anna@${own.id}.restante.test`] }];
  const content = { origin: null, mailFrom: "a@b.example", copies, isComposed: false, faults: [] };
  const now = api.clock.now();
  const id = await holdMessage(api.context, {
    server: own.id,
    delayMs: 0,
    compose: () => ({ content, raw: Buffer.from("Subject: x\r\n\r\n") }),
  });
  for (let death = 0; death < deathCountMax; death += 1) {
    await scheduledMessages.queue.claim({ now, leaseEndsAt: now, lease: "lost", keys: [{ key: "", limit: 10 }] });
  }
  await quarantine.quarantineDue(now);
  const reply = await api.ask(`GET /api/servers/${own.id}/held`, { key: own.key });
  expect(reply.json()).toMatchObject([{ id, error: quarantineReason }]);
});
