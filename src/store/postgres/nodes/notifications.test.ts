import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBackgroundTasks, unobservedTasks } from "../../../core/background-tasks.ts";
import { systemClock } from "../../../core/clock.ts";
import { newServerId } from "../../../core/ids.ts";
import type { NodeNotification } from "../../node-store.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { openDatabase } from "../connection/database.ts";
import { EmbeddedPostgres } from "../embedded-postgres.test-aid.ts";
import { payloadsOf, readPayload } from "./notification-payload.ts";
import { openNotifications, type NodeNotifications } from "./notifications.ts";
import { testDatabaseUrl } from "../postgres.test-aid.ts";

const server = newServerId();
const notification: NodeNotification = { kind: "changed", server, sequence: 1 };

interface Node extends NodeNotifications {
  readonly received: readonly NodeNotification[];
}

function openNode(url: string): Node {
  const notifications = openNotifications(url, {
    clock: systemClock,
    random: Math.random,
    onPooler: () => undefined,
    tasks: unobservedTasks,
  });
  onTestFinished(() => {
    notifications.close();
  });
  const received: NodeNotification[] = [];
  notifications.onNotification((one) => received.push(one));
  return Object.assign(notifications, { received });
}

/** Waits until each node has received a notification from the other. */
async function waitUntilConnected(one: Node, other: Node): Promise<void> {
  const isConnected = (receiver: Node, sender: Node): boolean => {
    sender.notify({ kind: "wrong_secret", address: "192.0.2.1" });
    return receiver.received.some(({ kind }) => kind === "wrong_secret");
  };
  await expect.poll(() => [isConnected(one, other), isConnected(other, one)]).toEqual([true, true]);
}

const changes = (node: Node): readonly NodeNotification[] => node.received.filter(({ kind }) => kind === "changed");

test("openNotifications reports an unreachable database and retries", async () => {
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  const notifications = openNotifications("postgres://127.0.0.1:1/none", {
    clock,
    random: () => 0.5,
    onPooler: () => undefined,
    tasks,
  });
  onTestFinished(() => {
    notifications.close();
  });
  const state = () => tasks.states().find(({ task }) => task === "notifications");
  await expect.poll(() => state()?.failureCount).toBe(1);
  expect(state()).toMatchObject({ state: "failing", degrades: expect.stringContaining("late") as unknown });
  clock.advance(state()?.lastFailure?.retryInMs ?? 0);
  await expect.poll(() => state()?.failureCount).toBe(2);
});

describe("notifications", () => {
  test("reach every other node once, but not the sender", async () => {
    const url = await testDatabaseUrl();
    const [one, other] = [openNode(url), openNode(url)];
    await waitUntilConnected(one, other);
    one.notify(notification);
    await expect.poll(() => changes(other)).toEqual([notification]);
    expect(changes(one)).toEqual([]);
  });

  test("are combined under load into few notifications with the last sequence of each server", async () => {
    const url = await testDatabaseUrl();
    const [one, other] = [openNode(url), openNode(url)];
    await waitUntilConnected(one, other);
    for (let sequence = 1; sequence <= 2000; sequence += 1) one.notify({ kind: "changed", server, sequence });
    await expect.poll(() => changes(other).at(-1)).toEqual({ kind: "changed", server, sequence: 2000 });
    expect(changes(other).length).toBeLessThan(5);
  });

  test("resume after a database crash, and those sent in between are lost without blocking", async () => {
    await using postgres = await EmbeddedPostgres.start({ durable: false });
    const [one, other] = [openNode(postgres.url()), openNode(postgres.url())];
    await waitUntilConnected(one, other);
    await postgres.kill();
    for (let count = 0; count < 10_000; count += 1) one.notify(notification);
    await postgres.restart();
    await expect
      .poll(() => {
        one.notify({ kind: "changed", server, sequence: 2 });
        return changes(other).length;
      })
      .toBeGreaterThan(0);
    one.close();
    other.close();
  });

  test("use one database session per node", async () => {
    const url = await testDatabaseUrl();
    const database = openDatabase(url);
    const one = openNode(url);
    const other = openNode(url);
    await waitUntilConnected(one, other);
    const sessions = await database.query(
      "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    expect(sessions).toHaveLength(2);
    await database.close();
  });
});

describe("a notification payload", () => {
  const anyNotification: fc.Arbitrary<NodeNotification> = fc.oneof(
    fc.record({
      kind: fc.constant("changed" as const),
      server: fc.constantFrom(newServerId(), newServerId()),
      sequence: fc.nat(),
    }),
    fc.record({
      kind: fc.constant("wrong_secret" as const),
      address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant("fe80::1%eth 0")),
    }),
  );

  test("encodes all notifications in payloads below the size limit of PostgreSQL", () => {
    fc.assert(
      fc.property(fc.array(anyNotification, { maxLength: 1500 }), (notifications) => {
        const payloads = payloadsOf("node", notifications);
        for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
        const read = payloads.map(readPayload);
        expect(read.flatMap((one) => one.notifications)).toEqual(notifications);
        expect(new Set(read.map((one) => one.node))).toEqual(new Set(["node"]));
      }),
    );
  });

  test("is ignored when it is malformed", () => {
    expect(readPayload("").notifications).toEqual([]);
    expect(readPayload("node cabcd1234:1 xyz c1 w%zz w w::1").notifications).toEqual([
      { kind: "changed", server: "abcd1234", sequence: 1 },
      { kind: "wrong_secret", address: "::1" },
    ]);
    fc.assert(fc.property(fc.string(), (text) => void readPayload(text)));
  });
});
