import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { newServerId, type ServerId } from "../../core/ids.ts";
import type { ProcessedChanges } from "../callback-store.ts";
import type { Store } from "../store.ts";
import { aClaim, addTarget, aDelivery, anOutcome, aTarget, listDeliveries } from "./callback-drafts.ts";
import { draft, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useEmptiedStore, useStore, type OpenStore } from "./setup.ts";

const ample = { countMax: 100, isOnly: false };
const texts = ["", "\0a\\0\\", "\ud800", "a\n\r\t'\"", "ü".repeat(8000)];

/** Targets of callbacks, and the changes that become deliveries to them. */
export function describeCallbackTargets(open: OpenStore): void {
  const store = useStore(open);
  const withTarget = async () => {
    const server = await makeServer(store());
    return { server, target: await addTarget(store(), server), callbacks: store().callbacks };
  };

  test("stores targets and lists them by kind, oldest first", async () => {
    const { server, target, callbacks } = await withTarget();
    const secrets = new Uint8Array([0, 1, 255]);
    const fields = { kind: "events", shape: "sendgrid", sealedSecrets: secrets, createdAt: epochMs - 1 } as const;
    const events = await callbacks.addTarget(aTarget(server, fields), { countMax: 1, isOnly: true });
    expect(events).toMatchObject({ ...fields, state: "active", stateReason: null, sinceSequence: 0, version: 1 });
    expect(await callbacks.listTargets(server)).toEqual([events, target]);
    expect(await callbacks.listTargets(server, "webhook")).toEqual([target]);
    expect(await callbacks.listTargets(server, "inbound")).toEqual([]);
    expect(await callbacks.getTarget(events.id)).toEqual(events);
    expect(await callbacks.getTarget(randomUUID())).toBeUndefined();
    expect(await callbacks.listTargets(await makeServer(store()))).toEqual([]);
  });

  test.each(texts)("keeps every text (%j)", async (text) => {
    const { server, callbacks } = await withTarget();
    const { id } = await callbacks.addTarget(aTarget(server, { settingsJson: JSON.stringify({ text }) }), ample);
    expect(JSON.parse((await callbacks.getTarget(id))?.settingsJson ?? "")).toEqual({ text });
    await callbacks.updateTarget(id, { state: "disabled", stateReason: text }, { now: epochMs });
    expect((await callbacks.getTarget(id))?.stateReason).toBe(text.toWellFormed());
  });

  test("rejects targets of unknown servers, beyond the limit, and second ones that must be the only ones", async () => {
    const { server, callbacks } = await withTarget();
    await expectProblem(callbacks.addTarget(aTarget(newServerId()), ample), "not_found");
    await expectProblem(callbacks.addTarget(aTarget(server), { countMax: 1, isOnly: false }), "limit_reached");
    const events = { kind: "events", shape: "brevo" } as const;
    await callbacks.addTarget(aTarget(server, events), { countMax: 1, isOnly: true });
    await expectProblem(callbacks.addTarget(aTarget(server, events), { countMax: 9, isOnly: true }), "conflict");
    await callbacks.addTarget(aTarget(server, { ...events, shape: "mailjet" }), { countMax: 2, isOnly: true });
    expect(await callbacks.listTargets(server)).toHaveLength(3);
  });

  test("keeps the limit when targets are added at the same time", async () => {
    const server = await makeServer(store());
    const rules = { countMax: 3, isOnly: false };
    const added = Array.from({ length: 8 }, async () => store().callbacks.addTarget(aTarget(server), rules));
    const settled = await Promise.allSettled(added);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(await store().callbacks.listTargets(server)).toHaveLength(3);
  });

  test("changes the given members under the given version", async () => {
    const { target, callbacks } = await withTarget();
    const { id } = target;
    const sealedSecrets = new Uint8Array([9]);
    const changed = await callbacks.updateTarget(id, { sealedSecrets }, { now: epochMs, version: 1 });
    expect(changed).toEqual({ ...target, sealedSecrets, version: 2 });
    expect(await callbacks.updateTarget(id, { state: "paused" }, { now: epochMs, version: 1 })).toBeUndefined();
    const disabled = await callbacks.updateTarget(id, { state: "disabled", stateReason: "410" }, { now: epochMs });
    expect(disabled).toMatchObject({ state: "disabled", stateReason: "410", version: 3 });
    const active = await callbacks.updateTarget(id, { state: "active" }, { now: epochMs });
    expect(active).toEqual({ ...target, sealedSecrets, version: 4 });
    expect(await callbacks.getTarget(id)).toEqual(active);
    expect(await callbacks.updateTarget(randomUUID(), {}, { now: epochMs })).toBeUndefined();
  });

  test("lets one of several changes of the same version win", async () => {
    const { target, callbacks } = await withTarget();
    const change = async (url: string) =>
      callbacks.updateTarget(target.id, { settingsJson: url }, { now: epochMs, version: 1 });
    const results = await Promise.all(["a", "b", "c", "d"].map(change));
    const [winner, ...others] = results.filter((result) => result !== undefined);
    expect(others).toEqual([]);
    expect(await callbacks.getTarget(target.id)).toEqual(winner);
  });

  test("claims nothing for inactive targets, and everything at once when they become active", async () => {
    const { server, target, callbacks } = await withTarget();
    const [due, later] = [0, 60_000].map((ms) => aDelivery(server, { target: target.id, dueAt: epochMs + ms }));
    await callbacks.addDeliveries([due, later].filter((one) => one !== undefined));
    for (const state of ["paused", "disabled"] as const) {
      await callbacks.updateTarget(target.id, { state }, { now: epochMs });
      expect(await callbacks.queue.listDueKeys(epochMs, 1000)).not.toContain(target.id);
      expect(await callbacks.queue.claim(aClaim([target.id]))).toEqual([]);
    }
    await callbacks.updateTarget(target.id, { state: "active" }, { now: epochMs });
    expect(await callbacks.queue.listDueKeys(epochMs, 1000)).toContain(target.id);
    expect(await callbacks.queue.claim(aClaim([target.id]))).toMatchObject([{ id: due?.id }, { id: later?.id }]);
  });

  test("disables the target of an outcome and keeps the first reason", async () => {
    const { server, target, callbacks } = await withTarget();
    const deliveries = Array.from({ length: 2 }, () => aDelivery(server, { target: target.id }));
    await callbacks.addDeliveries(deliveries);
    await callbacks.queue.claim(aClaim([target.id]));
    const fail = { status: "Failed", disables: { reason: "410 Gone" } } as const;
    const outcomes = deliveries.map(({ id }) => anOutcome(id, fail));
    expect(await callbacks.queue.record(outcomes)).toEqual([{ sequence: null }, { sequence: null }]);
    expect(await callbacks.getTarget(target.id)).toMatchObject({
      state: "disabled",
      stateReason: "410 Gone",
      version: 2,
    });
  });

  test("removes a target with its deliveries only", async () => {
    const { server, target, callbacks } = await withTarget();
    const other = await addTarget(store(), server);
    const [own, others, direct] = [
      aDelivery(server, { target: target.id }),
      aDelivery(server, { target: other.id }),
      aDelivery(server),
    ];
    await callbacks.addDeliveries([own, others, direct]);
    await callbacks.queue.claim(aClaim([target.id]));
    expect(await callbacks.removeTarget(target.id)).toBe(true);
    expect(await callbacks.removeTarget(target.id)).toBe(false);
    expect(await callbacks.getCallbackDelivery(own.id)).toBeUndefined();
    expect(await callbacks.queue.record([anOutcome(own.id)])).toEqual([undefined]);
    expect(await callbacks.listTargets(server)).toEqual([other]);
    expect((await listDeliveries(store(), server)).map(({ id }) => id)).toEqual([direct.id, others.id]);
    expect(await callbacks.replayDeliveries([own.id], epochMs)).toBe(0);
    await callbacks.addDeliveries([aDelivery(server, { target: target.id })]);
    expect(await listDeliveries(store(), server)).toHaveLength(2);
  });

  test("deletes targets and deliveries with their server, also when it is created again", async () => {
    const { server, target, callbacks } = await withTarget();
    const [own, direct] = [aDelivery(server, { target: target.id }), aDelivery(server)];
    await callbacks.addDeliveries([own, direct]);
    await callbacks.queue.claim(aClaim([target.id, direct.queue]));
    await store().deleteServer(server);
    expect(await callbacks.getTarget(target.id)).toBeUndefined();
    expect(await callbacks.queue.record([anOutcome(own.id), anOutcome(direct.id)])).toEqual([undefined, undefined]);
    await callbacks.addDeliveries([aDelivery(server), aDelivery(server, { target: target.id })]);
    await store().createServer({ id: server, name: "x", password: "", createdAt: epochMs, expiresAt: null });
    expect(await callbacks.listTargets(server)).toEqual([]);
    expect(await listDeliveries(store(), server)).toEqual([]);
    expect(await callbacks.listTargetServers()).not.toContain(server);
  });

  describeChangesOfServers(open);
  describeJournals(open);
}

function describeJournals(open: OpenStore): void {
  test(
    "keeps the changes after the cursor, and the usual number once they are processed",
    { timeout: 120_000 },
    async () => {
      const { store, dispose } = await open();
      onTestFinished(dispose);
      const server = await makeServer(store);
      const { id } = await addTarget(store, server);
      const flood = async (count: number): Promise<void> => {
        for (let left = count; left > 0; left -= 500) {
          await store.addMessages(Array.from({ length: 500 }, () => draft(server, { raw: "", detail: "" })));
        }
      };
      const firstIn = async (sequence: number) => (await store.listChanges(server, sequence, 1))?.[0]?.sequence;
      await flood(12_000);
      const unwatched = await makeServer(store);
      await store.addMessages([draft(unwatched)]);
      expect(await firstIn(0)).toBe(1);
      expect(await store.callbacks.processChanges({ server, from: 0, to: 11_000, deliveries: [] })).toBe(true);
      await expect.poll(() => firstIn(0), { timeout: 60_000 }).toBeUndefined();
      expect(await firstIn(2000)).toBe(2001);
      await flood(1000);
      await store.callbacks.removeTarget(id);
      await expect.poll(() => firstIn(2000), { timeout: 60_000 }).toBeUndefined();
      expect(await firstIn(3000)).toBe(3001);
    },
  );
}

function describeChangesOfServers(open: OpenStore): void {
  const emptied = useEmptiedStore(open);
  const openOwn = async (): Promise<{ store: Store; server: ServerId; callbacks: Store["callbacks"] }> => {
    const { store } = emptied();
    const server = await makeServer(store);
    return { store, server, callbacks: store.callbacks };
  };
  const processed = (server: ServerId, fields: Partial<ProcessedChanges>): ProcessedChanges => {
    return { server, from: 1, to: 2, deliveries: [], ...fields };
  };

  test("gives a server its cursor with the first target, and lists it while it lags", async () => {
    const { store, server, callbacks } = await openOwn();
    await store.addMessages([draft(server)]);
    expect(await callbacks.listTargetServers()).toEqual([]);
    const { id, sinceSequence } = await addTarget(store, server);
    expect(sinceSequence).toBe(1);
    expect(await callbacks.listTargetServers()).toEqual([server]);
    expect(await callbacks.listLaggingServers(10)).toEqual([]);
    await store.addMessages([draft(server)]);
    expect((await addTarget(store, server)).sinceSequence).toBe(2);
    expect(await callbacks.listLaggingServers(10)).toEqual([{ server, cursor: 1, sequence: 2 }]);
    expect(await callbacks.listLaggingServers(0)).toEqual([]);
    expect(await callbacks.listLaggingServers(10, [server])).toEqual([]);
    expect(await callbacks.listLaggingServers(10, [newServerId()])).toHaveLength(1);
    await callbacks.removeTarget(id);
    expect(await callbacks.listTargetServers()).toEqual([server]);
    const [last] = await callbacks.listTargets(server);
    await callbacks.removeTarget(last?.id ?? "");
    expect(await callbacks.listTargetServers()).toEqual([]);
    expect(await callbacks.processChanges(processed(server, {}))).toBe(false);
    await addTarget(store, server);
    expect(await callbacks.listLaggingServers(10)).toEqual([]);
  });

  test("stores deliveries of changes only with the move of the cursor", async () => {
    const { store, server, callbacks } = await openOwn();
    const target = await addTarget(store, server);
    await store.addMessages([draft(server)]);
    const delivery = aDelivery(server, { target: target.id });
    const gone = aDelivery(server, { target: randomUUID() });
    expect(await callbacks.processChanges({ server, from: 1, to: 2, deliveries: [delivery] })).toBe(false);
    expect(await listDeliveries(store, server)).toEqual([]);
    expect(await callbacks.processChanges({ server, from: 0, to: 1, deliveries: [delivery, gone] })).toBe(true);
    expect(await listDeliveries(store, server)).toMatchObject([{ id: delivery.id }]);
    expect(await callbacks.listLaggingServers(10)).toEqual([]);
    expect(await callbacks.processChanges(processed(newServerId(), { from: 0, to: 0 }))).toBe(false);
  });

  test("lets one of several processes of the same changes win", async () => {
    const { store, server, callbacks } = await openOwn();
    const target = await addTarget(store, server);
    await store.addMessages([draft(server)]);
    for (let round = 0; round < 5; round += 1) {
      const move = { server, from: round, to: round + 1 };
      const calls = Array.from({ length: 4 }, async () =>
        callbacks.processChanges({ ...move, deliveries: [aDelivery(server, { target: target.id })] }),
      );
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1);
    }
    expect(await listDeliveries(store, server)).toHaveLength(5);
  });
}
