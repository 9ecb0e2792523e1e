import { expect, onTestFinished, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { Maintenance, type MaintenanceParts } from "./maintenance.ts";

const idle: Omit<MaintenanceParts, "clock" | "tasks"> = {
  purge: { step: () => Promise.resolve(false) },
  changes: { isOverlong: false, forgetSome: () => Promise.resolve() },
  outside: { sweep: () => Promise.resolve(false) },
  textIndex: { step: () => Promise.resolve(false) },
};

function start(parts: Partial<MaintenanceParts>) {
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  const maintenance = new Maintenance({ ...idle, ...parts, clock, tasks });
  onTestFinished(() => maintenance.close());
  const state = (task: string) => tasks.states().find((one) => one.task === task);
  return { clock, state };
}

test.each(["purge", "blob_sweep", "upkeep"])(
  "reports a failing %s, retries it with backoff, and runs the other tasks",
  async (failing) => {
    const calls = new Map<string, number>();
    const step = (name: string) => async (): Promise<boolean> => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      await Promise.resolve();
      if (name === failing) throw new Error(`${name} is broken`);
      return false;
    };
    const { clock, state } = start({
      purge: { step: step("purge") },
      changes: { isOverlong: failing === "upkeep", forgetSome: async () => void (await step("upkeep")()) },
      outside: { sweep: step("blob_sweep") },
      textIndex: { step: step("text_index") },
    });
    clock.advance(30_000);
    await expect.poll(() => state(failing)?.failureCount).toBe(1);
    expect(state(failing)?.lastFailure).toMatchObject({ reason: `${failing} is broken`, retryInMs: 5000 });
    const others = ["purge", "blob_sweep", "text_index"].filter((name) => name !== failing);
    await expect.poll(() => others.map((name) => calls.get(name))).toEqual(others.map(() => 1));
    const retried = (): number | null | undefined => {
      clock.advance(5000);
      return state(failing)?.lastFailure?.retryInMs;
    };
    await expect.poll(retried).toBe(10_000);
    for (const name of others) expect(state(name)?.state).not.toBe("failing");
  },
);
