import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { addTestTeam, addTestUser } from "../../testing/people.test-aid.ts";
import { run } from "../run.ts";

let api: HttpTestServer;
let url: string;
let own: TestServer;
let other: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer({ settings: { idleServerDays: 30, catchAll: "off" } });
  [own, other] = [await api.addServer("own\tserver"), await api.addServer("zoo")];
  const team = await addTestTeam(api, "Payments", own.id);
  await addTestUser(api, "ann", { [team.id]: "manager" });
  await api.ask(`PUT /api/servers/${other.id}`, { body: { isProtected: true } });
  await api.deliver(own);
  const listener = api.app.createListener().listen(0, "127.0.0.1");
  await once(listener, "listening");
  url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
});
afterAll(async () => api[Symbol.asyncDispose]());

async function usage(...argv: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  const write = (written: string): void => void (text += written);
  const environment = { RESTANTE_URL: url, RESTANTE_API_KEY: api.accountKey };
  const code = await run(["usage", ...argv], { environment, out: write, error: write, clock: new FakeClock() });
  return { code, text };
}

test("lists the usage of teams in a month", async () => {
  const { code, text } = await usage("teams");
  const lines = text.split("\n").map((line) => line.split("\t"));
  expect(code).toBe(0);
  expect(lines[0]).toEqual(["Payments", "1", "0", expect.stringMatching(/^\d+$/), "0", "1", "1", lines[0]?.[3]]);
  expect(lines[1]).toEqual(["-", "0", "0", "0", "0", "1", "0", "0"]);
  expect((await usage("teams", "--month=2025-01")).text).toMatch(/^Payments\t0\t0\t0\t0\t1\t1\t\d+\n-\t/);
});

test("lists servers with owners, last traffic and what the rule does, without control characters", async () => {
  const at = new Date(api.clock.now());
  const removal = new Date(api.clock.now() + 30 * 86_400_000).toISOString();
  const { text } = await usage("servers");
  const [first = "", second = ""] = text.split("\n");
  expect(first.startsWith(`${own.id}\town server\tPayments\tann@corp.example\t1\t0\t`)).toBe(true);
  expect(first.endsWith(`\t${at.toISOString()}\t${removal}`)).toBe(true);
  expect(second).toMatch(/^\w{8}\tzoo\t-\t-\t0\t0\t0\t0\t0\t0\t\S+\tprotected$/);
  expect(await usage("servers", "--idle=1")).toEqual({ code: 0, text: "" });
});

test("prints CSV", async () => {
  expect((await usage("teams", "--csv")).text).toMatch(/^month,team,name,.*\r\n2026-01,[\w-]+,Payments,1,/);
  expect((await usage("servers", "--csv", "--month=2026-01")).text.split("\r\n")).toHaveLength(4);
});

test("reports a wrong month or number of days", async () => {
  for (const flag of ["--month=x", "--idle=-1"]) {
    const { code, text } = await usage("servers", flag);
    expect([code, text]).toEqual([1, expect.stringMatching(/month|idleDays/)]);
  }
});
