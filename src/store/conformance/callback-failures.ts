import { expect, test } from "vitest";
import type { CallbackOutcome, RecordedOutcome } from "../callback-store.ts";
import { aClaim, aDelivery, addTarget, anAttempt, anOutcome } from "./callback-drafts.ts";
import { epochMs } from "./drafts.ts";
import { makeServer, useEmptiedStore, type OpenStore } from "./setup.ts";

const dayMs = 24 * 3_600_000;

/** Targets that are disabled after days of failures. */
export function describeCallbackFailures(open: OpenStore): void {
  const emptied = useEmptiedStore(open);
  /** Returns a store with a target, and a function that records an attempt after a number of days. */
  const prepare = async () => {
    const { store } = emptied();
    const { callbacks } = store;
    const server = await makeServer(store);
    const { id: target } = await addTarget(store, server);
    const attempt = async (days: number, fields: Partial<CallbackOutcome>): Promise<RecordedOutcome | undefined> => {
      const delivery = aDelivery(server, { target });
      await callbacks.addDeliveries([delivery]);
      await callbacks.queue.claim(aClaim([target]));
      const startedAt = epochMs + days * dayMs;
      const own = { attempt: anAttempt({ startedAt, durationMs: 0 }), status: "Failed", ...fields } as const;
      const [recorded] = await callbacks.queue.record([anOutcome(delivery.id, own)]);
      return recorded;
    };
    const fail = (days: number) => attempt(days, { isTargetFailing: true });
    const stateOf = async () => (await callbacks.getTarget(target))?.state;
    return { callbacks, target, attempt, fail, stateOf };
  };

  test("disables a target that has failed for five days without a success, with the reason", async () => {
    const { callbacks, target, fail, stateOf } = await prepare();
    for (const days of [0, 1.5, 3, 4.9]) expect(await fail(days)).toEqual({ sequence: null });
    expect(await stateOf()).toBe("active");
    const disabled = `All requests since ${new Date(epochMs).toISOString().slice(0, 16)}Z have failed`;
    expect(await fail(5)).toEqual({ sequence: null, disabled });
    const disabledTarget = await callbacks.getTarget(target);
    expect(disabledTarget).toMatchObject({ state: "disabled", stateReason: disabled, version: 2 });
  });

  test("starts to count again after a success, and after two days without an attempt", async () => {
    const { attempt, fail, stateOf } = await prepare();
    for (const days of [0, 1.5, 3]) await fail(days);
    await attempt(4, { status: "Delivered", isTargetFailing: false });
    for (const days of [5, 6.5, 8, 9.5]) await fail(days);
    for (const days of [20, 40, 60]) await fail(days);
    expect(await stateOf()).toBe("active");
  });

  test("counts no attempt that does not show whether the target fails", async () => {
    const { attempt, fail, stateOf } = await prepare();
    for (const days of [0, 1, 2, 3, 4, 5, 6]) await attempt(days, {});
    await fail(7);
    expect(await stateOf()).toBe("active");
  });

  test("gives a target that a user makes active again another five days", async () => {
    const { callbacks, target, fail, stateOf } = await prepare();
    for (const days of [0, 2, 4, 5]) await fail(days);
    expect(await stateOf()).toBe("disabled");
    await callbacks.updateTarget(target, { state: "active" }, { now: epochMs });
    for (const days of [5.5, 7, 9]) await fail(days);
    expect(await stateOf()).toBe("active");
    expect(await fail(10.5)).toHaveProperty("disabled");
  });

  test("leaves a paused target as it is", async () => {
    const { callbacks, target, fail, attempt, stateOf } = await prepare();
    for (const days of [0, 2, 4]) await fail(days);
    const last = aDelivery((await callbacks.getTarget(target))?.server ?? expect.unreachable(), { target });
    await callbacks.addDeliveries([last]);
    await callbacks.queue.claim(aClaim([target]));
    await callbacks.updateTarget(target, { state: "paused" }, { now: epochMs });
    const startedAt = epochMs + 5 * dayMs;
    const late = { attempt: anAttempt({ startedAt }), status: "Failed", isTargetFailing: true } as const;
    expect(await callbacks.queue.record([anOutcome(last.id, late)])).toEqual([{ sequence: null }]);
    expect(await stateOf()).toBe("paused");
    expect(await attempt(6, { isTargetFailing: true })).toBeUndefined();
  });
}
