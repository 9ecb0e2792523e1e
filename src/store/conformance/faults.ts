import { expect, test } from "vitest";
import type { FaultDecision, FaultOccurrence, FaultRule } from "../../core/fault.ts";
import { newServerId, type ServerId } from "../../core/ids.ts";
import { faultHitCountMax } from "../../core/limits.ts";
import type { StoredFault } from "../fault-store.ts";
import type { Store } from "../store.ts";
import { epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, withStore, type OpenStore } from "./setup.ts";

/** Returns RCPT to a server. */
function aRecipient(server: ServerId, fields: Partial<FaultOccurrence> = {}): FaultOccurrence {
  return {
    stage: "rcpt",
    clientAddress: "192.0.2.1",
    server: null,
    sender: "shop@app.example",
    recipients: [{ address: `a@${server}.restante.test`, server }],
    provider: null,
    userName: null,
    ...fields,
  };
}

const defer: FaultRule = { name: "defer", match: { stage: "rcpt" }, then: { reply: { code: 451 } } };

async function decide(store: Store, occurrence: FaultOccurrence, now = epochMs): Promise<FaultDecision | null> {
  return (await store.faults.decideFault(occurrence, now)) ?? null;
}

async function only(store: Store, server: ServerId | null): Promise<StoredFault | undefined> {
  const [fault, ...others] = await store.faults.listFaults(server);
  expect(others).toEqual([]);
  return fault;
}

/** Fault rules: lists, exact counts, scopes. */
export function describeFaults(open: OpenStore): void {
  const opened = withStore(open);
  const shared = useStore(open);

  test("lists the rules in their order and replaces all of them with their counts", async () => {
    const store = shared();
    const server = await makeServer(store);
    expect(await store.faults.listFaults(server)).toEqual([]);
    const odd: FaultRule = {
      name: 'z "\\ ü😀\0',
      match: { stage: ["rcpt", "data"], sender: "*@app.example" },
      when: { every: 3 },
      then: { drop: true, delayMs: 5 },
      until: { hits: 4 },
    };
    await store.faults.replaceFaults(server, [odd, defer], { now: epochMs });
    const fresh = { state: { createdAt: epochMs, seen: 0, hits: 0, skipped: 0, window: null }, lastHits: [] };
    expect(await store.faults.listFaults(server)).toEqual([
      { rule: odd, ...fresh },
      { rule: defer, ...fresh },
    ]);
    await decide(store, aRecipient(server));
    await store.faults.replaceFaults(server, [defer], { now: epochMs });
    expect(await store.faults.listFaults(server)).toEqual([{ rule: defer, ...fresh }]);
    await store.faults.replaceFaults(server, [], { now: epochMs });
    expect(await store.faults.listFaults(server)).toEqual([]);
    expect(await decide(store, aRecipient(server))).toBeNull();
  });

  test("keeps the counts of rules that stay the same, on request", async () => {
    const store = shared();
    const server = await makeServer(store);
    const rule = (name: string, fields: Partial<FaultRule> = {}): FaultRule => ({
      name,
      match: { stage: "rcpt" },
      then: { greylist: { delayMs: 1000 } },
      ...fields,
    });
    const [a, b, c, d] = [rule("a"), rule("b", { when: { first: 1 } }), rule("c"), rule("d")];
    await store.faults.replaceFaults(server, [a, b, c], { now: epochMs });
    await decide(store, aRecipient(server));
    await decide(store, aRecipient(server), epochMs + 1000);
    const before = await store.faults.listFaults(server);
    expect(before.map(({ state }) => [state.seen, state.hits])).toEqual([
      [2, 1],
      [2, 0],
      [2, 1],
    ]);
    const changed = { ...b, when: { first: 2 } };
    const change = { now: epochMs + 5000, keepsCounts: true };
    await store.faults.replaceFaults(server, [d, c, changed, a], change);
    const fresh = { state: { createdAt: epochMs + 5000, seen: 0, hits: 0, skipped: 0, window: null }, lastHits: [] };
    expect(await store.faults.listFaults(server)).toEqual([
      { rule: d, ...fresh },
      before[2],
      { rule: changed, ...fresh },
      before[0],
    ]);
    await store.faults.replaceFaults(server, [a], change);
    expect(await store.faults.listFaults(server)).toEqual([before[0]]);
    expect(await decide(store, aRecipient(server), epochMs + 6000)).toBeNull();
    await store.faults.replaceFaults(server, [a], { now: epochMs });
    expect(await store.faults.listFaults(server)).toMatchObject([{ state: { seen: 0 }, lastHits: [] }]);
    await store.faults.replaceFaults(server, [], change);
    expect(await store.faults.listFaults(server)).toEqual([]);
  });

  test("keeps the counts of a rule that is paused and resumed, which applies to nothing meanwhile", async () => {
    const store = shared();
    const server = await makeServer(store);
    const other = { ...defer, name: "other" };
    const change = { now: epochMs + 1000, keepsCounts: true };
    await store.faults.replaceFaults(server, [defer, other], { now: epochMs });
    expect(await decide(store, aRecipient(server))).toMatchObject({ hits: [{ rule: defer.name }] });
    const [before] = await store.faults.listFaults(server);
    await store.faults.replaceFaults(server, [other, { ...defer, paused: true }], change);
    expect(await decide(store, aRecipient(server))).toMatchObject({ hits: [{ rule: "other" }] });
    expect((await store.faults.listFaults(server))[1]).toEqual({ ...before, rule: { ...defer, paused: true } });
    await store.faults.replaceFaults(server, [defer], change);
    expect(await store.faults.listFaults(server)).toEqual([before]);
    expect(await decide(store, aRecipient(server))).toMatchObject({ hits: [{ rule: defer.name }] });
  });

  test("counts exactly under concurrency", async () => {
    const store = shared();
    const server = await makeServer(store);
    await store.faults.replaceFaults(server, [{ ...defer, when: { first: 25 } }], { now: epochMs });
    const decisions = await Promise.all(Array.from({ length: 40 }, () => decide(store, aRecipient(server))));
    expect(decisions.filter((decision) => decision !== null)).toHaveLength(25);
    const fault = await only(store, server);
    expect(fault?.state).toMatchObject({ seen: 40, hits: 25 });
    expect(fault?.lastHits).toHaveLength(faultHitCountMax);
  });

  test("lists the last hits, newest first, and keeps counts after reopening", async () => {
    await opened(async ({ store, reopen }) => {
      const server = await makeServer(store);
      await store.faults.replaceFaults(server, [{ ...defer, when: { above: { count: 1, perMs: 60_000 } } }], {
        now: epochMs,
      });
      for (let at = 0; at < 3; at += 1) await decide(store, aRecipient(server), epochMs + at);
      const again = await reopen();
      await decide(again, aRecipient(server), epochMs + 3);
      const fault = await only(again, server);
      expect(fault?.state).toEqual({
        createdAt: epochMs,
        seen: 4,
        hits: 3,
        skipped: 0,
        window: { startedAt: epochMs, count: 4 },
      });
      const hit = {
        stage: "rcpt",
        clientAddress: "192.0.2.1",
        sender: "shop@app.example",
        recipient: `a@${server}.restante.test`,
        provider: null,
        action: "reply",
      };
      expect(fault?.lastHits).toEqual(
        [3, 2, 1].map((at) => ({ received: new Date(epochMs + at).toISOString(), ...hit })),
      );
    });
  });

  test("applies rules of the server before those of the service, and none of another server", async () => {
    const store = shared();
    const [one, other] = [await makeServer(store), await makeServer(store)];
    const rule = (name: string): FaultRule => ({ ...defer, name });
    await store.faults.replaceFaults(one, [rule("own"), rule("second")], { now: epochMs });
    expect(await decide(store, aRecipient(other))).toBeNull();
    await store.faults.replaceFaults(null, [rule("service")], { now: epochMs });
    expect((await decide(store, aRecipient(one)))?.hits).toMatchObject([{ server: one, rule: "own" }]);
    expect((await decide(store, aRecipient(other)))?.hits).toMatchObject([{ server: null, rule: "service" }]);
    expect((await store.faults.listFaults(one)).map(({ state }) => [state.seen, state.hits])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect((await only(store, null))?.state).toMatchObject({ seen: 2, hits: 1 });
    await store.faults.replaceFaults(null, [], { now: epochMs });
  });

  test("finds rules before RCPT by the credentials or by one client address", async () => {
    const store = shared();
    const [one, other] = [await makeServer(store), await makeServer(store)];
    const then = { drop: true } as const;
    await store.faults.replaceFaults(one, [{ name: "user", match: { stage: "mail" }, then }], { now: epochMs });
    await store.faults.replaceFaults(
      other,
      [{ name: "address", match: { stage: "connect", clientAddress: "2001:db8::1" }, then }],
      { now: epochMs },
    );
    const session = { recipients: [], sender: null };
    const rulesOf = async (fields: Partial<FaultOccurrence>): Promise<readonly string[]> =>
      (await decide(store, aRecipient(one, { ...session, ...fields })))?.hits.map(({ rule }) => rule) ?? [];
    expect(await rulesOf({ stage: "mail", server: one })).toEqual(["user"]);
    expect(await rulesOf({ stage: "mail", server: null })).toEqual([]);
    expect(await rulesOf({ stage: "connect", clientAddress: "2001:0db8:0:0::1" })).toEqual(["address"]);
    expect(await rulesOf({ stage: "connect", clientAddress: "2001:db8::2" })).toEqual([]);
  });

  test("counts mail for several servers as skipped, except late delivery to one of them", async () => {
    const store = shared();
    const [one, other] = [await makeServer(store), await makeServer(store)];
    const match = { stage: "after-data" } as const;
    await store.faults.replaceFaults(one, [{ name: "drop", match, then: { drop: true } }], { now: epochMs });
    await store.faults.replaceFaults(other, [{ name: "late", match, then: { deliverAfterMs: 5 } }], { now: epochMs });
    const recipients = [one, other].map((server) => ({ address: `a@${server}`, server }));
    expect(await decide(store, aRecipient(one, { stage: "after-data", recipients }))).toEqual({
      then: null,
      late: [{ server: other, deliverAfterMs: 5 }],
      hits: [{ server: other, rule: "late", stage: "after-data", action: "deliver-later" }],
    });
    expect((await only(store, one))?.state).toMatchObject({ seen: 0, hits: 0, skipped: 1 });
    expect((await only(store, other))?.state).toMatchObject({ seen: 1, hits: 1, skipped: 0 });
  });

  test("remembers the triples of greylisting", async () => {
    await opened(async ({ store, reopen }) => {
      const server = await makeServer(store);
      const then = { greylist: { delayMs: 1000 } };
      await store.faults.replaceFaults(server, [{ name: "grey", match: { stage: "rcpt" }, then }], { now: epochMs });
      const isDeferred = async (by: Store, at: number, fields: Partial<FaultOccurrence> = {}): Promise<boolean> =>
        (await decide(by, aRecipient(server, fields), epochMs + at)) !== null;
      expect(await isDeferred(store, 0)).toBe(true);
      expect(await isDeferred(store, 999, { clientAddress: "192.0.2.77" })).toBe(true);
      const again = await reopen();
      expect(await isDeferred(again, 1000, { sender: "SHOP@app.example" })).toBe(false);
      expect(await isDeferred(again, 1000, { sender: "b@app.example" })).toBe(true);
      expect(await isDeferred(again, 1000, { clientAddress: "192.0.3.1" })).toBe(true);
      expect(await isDeferred(again, 99_000)).toBe(false);
    });
  });

  test("deletes rules with their server, and stores none of a server that does not exist", async () => {
    const store = shared();
    const server = await makeServer(store);
    await store.faults.replaceFaults(server, [defer], { now: epochMs });
    await decide(store, aRecipient(server));
    await store.deleteServer(server);
    expect(await store.faults.listFaults(server)).toEqual([]);
    expect(await decide(store, aRecipient(server))).toBeNull();
    await expectProblem(store.faults.replaceFaults(server, [defer], { now: epochMs }), "not_found");
    await expectProblem(store.faults.replaceFaults(newServerId(), [defer], { now: epochMs }), "not_found");
  });
}
