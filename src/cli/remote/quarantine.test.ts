import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deathCountMax } from "../../core/quarantine.ts";
import { aDelivery } from "../../store/conformance/callback-drafts.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { run } from "../run.ts";

let api: HttpTestServer;
let url: string;
beforeAll(async () => {
  // The commands read lists in either form.
  api = await openHttpTestServer({ listEnvelope: "items" });
  const listener = api.app.createListener().listen(0, "127.0.0.1");
  await once(listener, "listening");
  url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
});
afterAll(async () => api[Symbol.asyncDispose]());

async function command(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const write = (written: string): void => void (text += written);
  const environment = { RESTANTE_URL: url, RESTANTE_API_KEY: api.accountKey };
  const code = await run(["quarantine", ...argv], { environment, out: write, error: write, clock: new FakeClock() });
  return { code, text };
}

/** Quarantines deliveries; returns their ids. */
async function quarantine(count: number): Promise<readonly string[]> {
  const { callbacks, quarantine: quarantined } = api.context.store;
  const server = await api.addServer();
  const now = api.clock.now();
  const deliveries = Array.from({ length: count }, () => aDelivery(server.id, { dueAt: now, createdAt: now }));
  await callbacks.addDeliveries(deliveries);
  for (let death = 0; death < deathCountMax; death += 1) {
    const keys = deliveries.map(({ queue }) => ({ key: queue, limit: 10 }));
    await callbacks.queue.claim({ now, leaseEndsAt: now, lease: "lost", keys });
  }
  await quarantined.quarantineDue(now);
  return deliveries.map(({ id }) => id);
}

test("lists quarantined work with exit code 1, and retries what matches", async () => {
  expect(await command("list")).toEqual({ code: 0, text: "" });
  const [first = "", second = ""] = await quarantine(2);
  const at = new Date(api.clock.now()).toISOString();
  const line = (id: string): string => `deliveries\t${id}\t-\t${at}\t${String(deathCountMax)}\n`;
  const { code, text } = await command("list");
  expect([code, text.split(/(?<=\n)/).toSorted()]).toEqual([1, [line(first), line(second)].toSorted()]);
  expect(await command("retry", "--queue=scans")).toEqual({ code: 0, text: "0\n" });
  expect(await command("retry", `--id=${first}`)).toEqual({ code: 0, text: "1\n" });
  expect(await command("list")).toEqual({ code: 1, text: line(second) });
  expect(await command("retry")).toEqual({ code: 0, text: "1\n" });
  expect(await command("list")).toEqual({ code: 0, text: "" });
});

test("refuses an unknown queue", async () => {
  expect(await command("retry", "--queue=none")).toMatchObject({
    code: 1,
    text: expect.stringContaining("queue") as unknown,
  });
});
