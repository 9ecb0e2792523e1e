import { describe, expect, test } from "vitest";
import type { AuditActor, AuditEntry, AuditedAction } from "../../../core/audit-entry.ts";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createAuditLog, type AuditLog } from "./audit-log.ts";

const actor: AuditActor = { by: "key", key: "k1", name: "CI", clientAddress: "192.0.2.1" };
const act = (target: string): AuditedAction => ({ action: "key.revoke", target, server: null, details: {} });

function openLog() {
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  const stored: AuditEntry[] = [];
  const written: (string | null)[] = [];
  const trims: string[] = [];
  const medium = { isFull: false };
  const store = {
    appendAudit: async (entries: readonly AuditEntry[]) => void stored.push(...entries),
    trimAudit: async (category: string) => void trims.push(category),
    listAudit: async () => ({ entries: [], hasMore: false }),
  };
  const log: AuditLog = createAuditLog({
    store,
    clock,
    tasks,
    write: async (entries) => {
      if (medium.isFull) throw new Error("no space");
      written.push(...entries.map(({ target }) => target));
    },
  });
  const state = () => tasks.states().find(({ task }) => task === "audit_log");
  return { clock, log, stored, written, trims, medium, state };
}

describe("the audit log", () => {
  test("writes actions to every output in order before record resolves", async () => {
    const { log, stored, written, clock } = openLog();
    await Promise.all(["a", "b", "c"].map((target) => log.record(actor, act(target))));
    expect(stored.map(({ target }) => target)).toEqual(["a", "b", "c"]);
    expect(written).toEqual(["a", "b", "c"]);
    expect(stored[0]).toMatchObject({ ...actor, ...act("a"), at: clock.now() });
    expect(stored.map(({ id }) => id).toSorted()).toEqual(stored.map(({ id }) => id));
  });

  test("buffers entries while an output fails, reports it, and writes them later", async () => {
    const { log, stored, written, medium, state, clock } = openLog();
    medium.isFull = true;
    await log.record(actor, act("a"));
    await log.record(actor, act("b"));
    expect(stored).toHaveLength(2);
    expect(state()).toMatchObject({ state: "failing", backlog: 2, lastFailure: { reason: "no space" } });
    medium.isFull = false;
    clock.advance(5000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual(["a", "b"]);
    await log.record(actor, act("c"));
    expect(written).toEqual(["a", "b", "c"]);
    expect(state()).toMatchObject({ state: "ok", backlog: 0 });
  });

  test("writes buffered entries when it is closed", async () => {
    const { log, written, medium } = openLog();
    medium.isFull = true;
    await log.record(actor, act("a"));
    medium.isFull = false;
    await log.close();
    expect(written).toEqual(["a"]);
  });

  test("limits the buffer of a failing output, and reports dropped entries", async () => {
    const { log, medium, written, state } = openLog();
    medium.isFull = true;
    await log.record(actor, act("first"));
    const entry = { id: "x", at: 0, ...actor, ...act("later") };
    await log.adopt(Array.from({ length: 10_000 }, () => entry));
    expect(state()).toMatchObject({ backlog: 10_000 });
    medium.isFull = false;
    await log.close();
    expect([written.length, written.includes("first")]).toEqual([10_000, false]);
  });

  test("trims the store at its first entry and after every 1000", async () => {
    const { log, trims } = openLog();
    await log.record(actor, act("a"));
    expect(trims).toEqual(["account", "messages"]);
    for (let count = 0; count < 999; count += 1) await log.record(actor, act("b"));
    expect(trims).toHaveLength(2);
    await log.record(actor, act("c"));
    expect(trims).toHaveLength(4);
  });
});
