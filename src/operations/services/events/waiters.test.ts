import { criteriaExpression } from "../../../core/search/build-expression.ts";
import type { Criteria } from "../../../core/criteria.ts";
import { describe, expect, test } from "vitest";
import { createEventHub, type EventMessage } from "../../../core/events.ts";
import { createIdSource, newServerId } from "../../../core/ids.ts";
import { createWaiters, type NewMatch, type Waiters } from "./waiters.ts";

const server = newServerId();
const ids = createIdSource(() => 1_000);

const summaryJson = Buffer.from("{}");

function message(fields: EventFields): EventMessage {
  const { summaryJson: own, ...keys } = { summaryJson, ...fields };
  return { from: [], to: [], subject: "", body: "", ...keys, ...(own && { summaryJson: own }) };
}

type EventFields = Omit<Partial<EventMessage>, "summaryJson"> & { readonly summaryJson?: Uint8Array | undefined };

/** Adds a waiter; returns the matches that it receives. */
function matchesOf(waiters: Waiters, criteria: Criteria): readonly (NewMatch | null)[] {
  const matches: (NewMatch | null)[] = [];
  const interest = { server, direction: "Received", expression: criteriaExpression(criteria) } as const;
  waiters.add({ key: "key", interest, wake: (_, match) => void matches.push(match), end: () => undefined });
  return matches;
}

function setUp(waiterCountMax = 10): {
  waiters: Waiters;
  arrive: (fields: Partial<EventMessage>, kind?: "received" | "sent") => void;
  publish: (sequence: number, fields: EventFields) => void;
  hub: ReturnType<typeof createEventHub>;
} {
  const hub = createEventHub();
  const waiters = createWaiters(hub, { waiterCountMax, waiterCountPerKeyMax: 3 });
  let sequence = 0;
  return {
    hub,
    waiters,
    publish(sequence, fields) {
      const { id } = ids.next(server, "Received");
      hub.publish({ server, change: { sequence, kind: "received", id }, message: message(fields) });
    },
    arrive(fields, kind = "received") {
      sequence += 1;
      const id = ids.next(server, kind === "sent" ? "Sent" : "Received").id;
      hub.publish({ server, change: { sequence, kind, id }, message: message(fields) });
    },
  };
}

function wait(waiters: Waiters, criteria: Criteria): { wakes: () => number; ends: () => number; leave: () => void } {
  let wakes = 0;
  let ends = 0;
  const leave = waiters.add({
    key: "key",
    interest: { server, direction: "Received", expression: criteriaExpression(criteria) },
    wake: () => {
      wakes += 1;
    },
    end: () => {
      ends += 1;
    },
  });
  return { wakes: () => wakes, ends: () => ends, leave: leave ?? (() => undefined) };
}

describe("waiters", () => {
  test.each<[Criteria, Partial<EventMessage>, number]>([
    [{ sentTo: "a@x", match: "ALL" }, { to: ["a@x"] }, 1],
    [{ sentTo: "a@x", match: "ALL" }, { to: ["b@x", "a@x"] }, 1],
    [{ sentTo: "a@x", match: "ALL" }, { to: ["b@x"], from: ["a@x"] }, 0],
    [{ sentTo: "a@x", subject: "hi", match: "ALL" }, { to: ["a@x"], subject: "bye" }, 0],
    [{ sentTo: "a@x", subject: "hi", match: "ALL" }, { to: ["a@x"], subject: "oh hi" }, 1],
    [{ sentTo: "a@x", subject: "hi", match: "ANY" }, { to: ["b@x"], subject: "oh hi" }, 1],
    [{ sentTo: "a@x", subject: "hi", match: "ANY" }, { to: ["a@x"] }, 1],
    [{ sentFrom: "a@x", match: "ALL" }, { from: ["a@x"] }, 1],
    [{ body: "804", match: "ALL" }, { body: "code 804219" }, 1],
    [{ body: "804", match: "ALL" }, { subject: "804" }, 0],
  ])("wakes waiters with %j by %j %d times", (criteria, fields, count) => {
    const { waiters, arrive } = setUp();
    const waiter = wait(waiters, criteria);
    arrive(fields);
    expect(waiter.wakes()).toBe(count);
  });

  test("receive a message that matches for certain, with the first change from which all were compared", () => {
    const { waiters, publish } = setUp();
    const before = matchesOf(waiters, { sentTo: "a@x", match: "ALL" });
    publish(5, { to: ["b@x"] });
    const after = matchesOf(waiters, { sentTo: "a@x", match: "ALL" });
    publish(6, { to: ["a@x"] });
    publish(8, { to: ["a@x"] });
    publish(7, { to: ["a@x"] });
    expect(before).toMatchObject([
      { sequence: 6, comparedFrom: 5, summaryJson },
      { sequence: 8, comparedFrom: 8 },
      { sequence: 7, comparedFrom: 5 },
    ]);
    expect(after).toMatchObject([
      { sequence: 6, comparedFrom: 6 },
      { sequence: 8, comparedFrom: 8 },
      { sequence: 7, comparedFrom: 6 },
    ]);
  });

  test("compare anew after changes that were not published", () => {
    const { waiters, publish, hub } = setUp();
    publish(4, { to: [] });
    const matches = matchesOf(waiters, { sentTo: "a@x", match: "ALL" });
    publish(5, { to: [] });
    hub.publish({ server, change: null, message: null });
    publish(6, { to: ["a@x"] });
    expect(matches).toMatchObject([null, { comparedFrom: 6 }]);
  });

  test.each<[string, Criteria, EventFields]>([
    ["keys that are not known", { sentFrom: "a@x", match: "ALL" }, { from: null }],
    ["a tag", { tag: "t", subject: "s", match: "ANY" }, { subject: "s", tag: null }],
    ["a summary that is not known", { subject: "s", match: "ALL" }, { subject: "s", summaryJson: undefined }],
  ])("are woken without the message because of %s", (_reason, criteria, fields) => {
    const { waiters, publish } = setUp();
    const matches = matchesOf(waiters, criteria);
    publish(1, fields);
    expect(matches).toEqual([null]);
  });

  test("are woken, whomever they wait for, by a message whose recipients are not known", () => {
    const { waiters, arrive } = setUp();
    const all = [
      wait(waiters, { sentTo: "a@x", match: "ALL" }),
      wait(waiters, { sentTo: "b@x", subject: "s", match: "ANY" }),
      wait(waiters, { sentTo: "c@x", subject: "other", match: "ALL" }),
    ];
    arrive({ to: null, subject: "s" });
    expect(all.map((waiter) => waiter.wakes())).toEqual([1, 1, 0]);
  });

  test("are woken by a message whose provider is not known when their expression names one", () => {
    const { waiters, arrive } = setUp();
    const wakeUps: unknown[] = [];
    const expression = { kind: "key", role: "provider", key: "brevo" } as const;
    const interest = { server, direction: "Received", expression } as const;
    waiters.add({ key: "key", interest, wake: (sequence) => void wakeUps.push(sequence), end: () => undefined });
    arrive({ provider: ["mailgun"] });
    arrive({ provider: null });
    arrive({});
    expect(wakeUps).toEqual([2]);
  });

  test("are not notified of the other direction", () => {
    const { waiters, arrive } = setUp();
    const waiter = wait(waiters, { sentTo: "a@x", match: "ALL" });
    arrive({ to: ["a@x"] }, "sent");
    expect(waiter.wakes()).toBe(0);
  });

  test("receive nothing after they are removed, and release everything", () => {
    const { waiters, arrive, hub } = setUp();
    const first = wait(waiters, { sentTo: "a@x", match: "ALL" });
    const second = wait(waiters, { subject: "a", match: "ALL" });
    first.leave();
    arrive({ to: ["a@x"] });
    second.leave();
    second.leave();
    expect(first.wakes()).toBe(0);
    expect(hub.hasListeners(server)).toBe(false);
  });

  test("are rejected past the limit, and accepted again when one is removed", () => {
    const { waiters } = setUp(1);
    const first = wait(waiters, { subject: "a", match: "ALL" });
    expect(waiters.hasRoom("other")).toBe(false);
    expect(
      waiters.add({
        key: "other",
        interest: { server, direction: "Received", expression: { kind: "text", field: "body", term: "b" } },
        wake: () => undefined,
        end: () => undefined,
      }),
    ).toBeUndefined();
    first.leave();
    expect(waiters.hasRoom("other")).toBe(true);
  });

  test("are rejected with too_many_requests past the limit of their key, while other keys are not", () => {
    const { waiters } = setUp();
    const own = Array.from({ length: 3 }, () => wait(waiters, { subject: "a", match: "ALL" }));
    expect([waiters.hasRoom("key"), waiters.hasRoom("other")]).toEqual([false, true]);
    expect(() => wait(waiters, { subject: "a", match: "ALL" })).toThrow(/waiting searches/);
    own[0]?.leave();
    expect(waiters.hasRoom("key")).toBe(true);
  });

  test("are all ended when the service shuts down, and none is accepted any more", () => {
    const { waiters } = setUp();
    const all = [wait(waiters, { subject: "a", match: "ALL" }), wait(waiters, { sentTo: "a@x", match: "ALL" })];
    waiters.close();
    expect(all.map((waiter) => waiter.ends())).toEqual([1, 1]);
    expect(waiters.hasRoom("other")).toBe(false);
  });
});
