import { describe, expect, test } from "vitest";
import { createEventHub, type EventMessage } from "../../../core/events.ts";
import { createIdSource, newServerId } from "../../../core/ids.ts";
import type { FoldedCriteria } from "../../../store/store.ts";
import { createWaiters, type Waiters } from "./waiters.ts";

const server = newServerId();
const ids = createIdSource(() => 1_000);

function message(fields: Partial<EventMessage>): EventMessage {
  return { from: [], to: [], subject: "", body: "", ...fields };
}

function setUp(waiterCountMax = 10): {
  waiters: Waiters;
  arrive: (fields: Partial<EventMessage>, kind?: "received" | "sent") => void;
  hub: ReturnType<typeof createEventHub>;
} {
  const hub = createEventHub();
  const waiters = createWaiters(hub, { waiterCountMax, waiterCountPerKeyMax: 3 });
  let sequence = 0;
  return {
    hub,
    waiters,
    arrive(fields, kind = "received") {
      sequence += 1;
      const id = ids.next(server, kind === "sent" ? "Sent" : "Received").id;
      hub.publish({ server, change: { sequence, kind, id }, message: message(fields) });
    },
  };
}

function wait(
  waiters: Waiters,
  criteria: FoldedCriteria,
): { wakes: () => number; ends: () => number; leave: () => void } {
  let wakes = 0;
  let ends = 0;
  const leave = waiters.add({
    key: "key",
    interest: { server, direction: "Received", criteria },
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
  test.each<[FoldedCriteria, Partial<EventMessage>, number]>([
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
  ])("with %j are woken by %j %d times", (criteria, fields, count) => {
    const { waiters, arrive } = setUp();
    const waiter = wait(waiters, criteria);
    arrive(fields);
    expect(waiter.wakes()).toBe(count);
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
        interest: { server, direction: "Received", criteria: { body: "b", match: "ALL" } },
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
