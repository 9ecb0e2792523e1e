import { afterEach, beforeEach, expect, test } from "vitest";
import { type ServerId, newServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { applyRetention, removeIdleServers } from "./retention-rules.ts";
import type { Context } from "../context.ts";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";

test("applies the rules of the other servers when one fails, and rejects afterwards", async () => {
  const servers = [1, 2, 3].map(() => ({
    id: newServerId(),
    retention: { ageSecondsMax: null, messageCountMax: 1 },
  }));
  const expired: string[] = [];
  const store = {
    listServersForMaintenance: () => Promise.resolve(servers),
    expireMessages: (id: string) => {
      if (id === servers[0]?.id) return Promise.reject(new Error("damaged page"));
      const isFirst = !expired.includes(id);
      expired.push(id);
      return Promise.resolve(isFirst ? 1 : 0);
    },
  } as unknown as Context["store"];
  await expect(applyRetention({ store, clock: new FakeClock() } as unknown as Context)).rejects.toThrow("damaged page");
  expect(new Set(expired)).toEqual(new Set([servers[1]?.id, servers[2]?.id]));
});

const dayMs = 86_400_000;
let api: HttpTestServer;
const settings = { configuredServers: ["conf1234" as ServerId], idleServerDays: 30 };
beforeEach(async () => {
  api = await openHttpTestServer({ settings });
});
afterEach(async () => api[Symbol.asyncDispose]());

/** Adds the catch-all server: the oldest one. */
const addCatchAll = async (): Promise<void> => {
  await api.addServer("catch-all");
  api.clock.advance(1);
};
const names = async (): Promise<readonly string[]> => (await api.context.store.listServers()).map(({ name }) => name);
const removeNow = async (context = api.context): Promise<readonly [ServerId, number][]> => {
  const removed: [ServerId, number][] = [];
  await removeIdleServers(context, (server, days) => removed.push([server, days]));
  return removed;
};

test("removes servers without traffic for so many days, but no protected, configured or catch-all server", async () => {
  await addCatchAll();
  const idle = await api.addServer("idle");
  const active = await api.addServer("active");
  const kept = await api.addServer("protected");
  const past = { createdAt: api.clock.now(), expiresAt: null, password: "" };
  await api.context.store.createServer({ id: "conf1234" as ServerId, name: "configured", ...past });
  await api.ask(`PUT /api/servers/${kept.id}`, { body: { isProtected: true } });
  api.clock.advance(30 * dayMs - 1);
  expect(await removeNow()).toEqual([]);
  await api.deliver(active);
  const reports = (await api.ask("GET /api/usage/servers?idleDays=30")).json<
    { name: string; removedAt: string | null }[]
  >();
  expect(reports.filter(({ removedAt }) => removedAt !== null).map(({ name }) => name)).toEqual(["idle"]);
  expect(reports.map(({ name }) => name).toSorted()).toEqual(["catch-all", "configured", "idle", "protected"]);
  expect(await removeNow()).toEqual([[idle.id, 30]]);
  expect((await names()).toSorted()).toEqual(["active", "catch-all", "configured", "protected"]);
  const { entries } = await api.context.store.audit.listAudit(0, 1);
  expect(entries[0]).toMatchObject({
    by: "service",
    action: "server.delete",
    target: idle.id,
    details: { rule: "idle", days: 30, messages: 0 },
  });
});

test("keeps a server whose traffic begins while the rule runs", async () => {
  await addCatchAll();
  const server = await api.addServer("late");
  api.clock.advance(40 * dayMs);
  const { store } = api.context;
  const listServers = async (): ReturnType<typeof store.listServers> => {
    const servers = await store.listServers();
    await api.deliver(server);
    return servers;
  };
  expect(await removeNow({ ...api.context, store: { ...store, listServers } })).toEqual([]);
  expect(await names()).toContain("late");
});

test("tries the other servers when one cannot be removed, and rejects then", async () => {
  await addCatchAll();
  for (const name of ["a", "b"]) await api.addServer(name);
  api.clock.advance(40 * dayMs);
  const { store } = api.context;
  let calls = 0;
  const deleteServer: typeof store.deleteServer = async (id, since) => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error("disk")) : store.deleteServer(id, since);
  };
  await expect(removeNow({ ...api.context, store: { ...store, deleteServer } })).rejects.toThrow("disk");
  expect(await names()).toHaveLength(2);
});
