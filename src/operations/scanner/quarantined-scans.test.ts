import { afterAll, beforeAll, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { reportQuarantinedScans } from "./quarantined-scans.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

test("reports quarantined scans of messages with a scanner that have no report yet", async () => {
  const server = await api.addServer();
  await api.context.store.scanners.setScanner(server.id, '{"profile":"safelinks","when":"after"}');
  const [message, scanned] = [await api.deliver(server, { text: "a" }), await api.deliver(server, { text: "b" })];
  const unscanned = await api.deliver(await api.addServer(), { text: "c" });
  const quarantinedAt = api.clock.now();
  const work = { queue: "scans", quarantinedAt } as const;
  const scanOf = async (id: string): Promise<unknown> => {
    const reply = await api.ask(`GET /api/messages/${id}/scan`);
    return reply.statusCode === 200 ? reply.json() : reply.statusCode;
  };
  await reportQuarantinedScans(api.context.store, [
    { ...work, queue: "outbox", message: scanned },
    { ...work, message },
    { ...work, message: unscanned },
  ]);
  const at = new Date(quarantinedAt).toISOString();
  const report = { profile: "safelinks", when: "after", result: "quarantined", started: at, requests: [] };
  expect(await scanOf(message)).toMatchObject(report);
  expect([await scanOf(scanned), await scanOf(unscanned)]).toEqual([404, 404]);
  await reportQuarantinedScans(api.context.store, [{ ...work, message, quarantinedAt: quarantinedAt + 1 }]);
  expect(await scanOf(message)).toMatchObject(report);
});
