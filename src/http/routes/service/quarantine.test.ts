import { afterAll, beforeAll, expect, test } from "vitest";
import { quarantineReason, deathCountMax } from "../../../core/quarantine.ts";
import { aDelivery } from "../../../store/conformance/callback-drafts.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Adds a delivery and quarantines it. */
async function quarantine(): Promise<string> {
  const { callbacks, quarantine: quarantined } = api.context.store;
  const now = api.clock.now();
  const delivery = aDelivery(server.id, { dueAt: now, createdAt: now });
  await callbacks.addDeliveries([delivery]);
  for (let death = 0; death < deathCountMax; death += 1) {
    const keys = [{ key: delivery.queue, limit: 10 }];
    await callbacks.queue.claim({ now, leaseEndsAt: now, lease: "lost", keys });
  }
  await quarantined.quarantineDue(now);
  return delivery.id;
}

test("lists quarantined work with its reason, and retries what matches", async () => {
  const [first, second] = [await quarantine(), await quarantine()];
  const shown = { queue: "deliveries", message: null, server: null, attempts: 2, reason: quarantineReason };
  const list = async (): Promise<unknown> => (await api.ask("GET /api/quarantine")).json();
  expect((await api.ask("GET /api/quarantine")).headers["x-total-count"]).toBe("2");
  expect(await list()).toMatchObject([
    { ...shown, id: first },
    { ...shown, id: second },
  ]);
  const retry = async (body: object): Promise<unknown> =>
    (await api.ask("POST /api/quarantine/retry", { body })).json();
  expect(await retry({ queue: "outbox" })).toEqual({ replayed: 0 });
  expect(await retry({ id: second })).toEqual({ replayed: 1 });
  expect(await list()).toMatchObject([{ id: first }]);
  expect(await retry({})).toEqual({ replayed: 1 });
  expect(await list()).toEqual([]);
});

test.each([["GET /api/quarantine"], ["POST /api/quarantine/retry"]])("%s needs an account key", async (line) => {
  expect((await api.ask(line, { key: server.key, ...(line.startsWith("POST") && { body: {} }) })).statusCode).toBe(403);
});
