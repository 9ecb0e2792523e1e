import { describe, expect, test } from "vitest";
import { SharedTurns, turnMsMax } from "./shared-turns.ts";

interface Scene {
  readonly turns: SharedTurns;
  /** Runs a loop whose steps take so many milliseconds each. */
  readonly loop: (name: string, steps: readonly number[]) => Promise<void>;
  /** Runs turns of the event loop until none is left. */
  readonly run: () => Promise<void>;
  /** Work of each turn. */
  readonly done: { readonly names: string[]; ms: number }[];
}

function scene(): Scene {
  let now = 0;
  const deferred: (() => void)[] = [];
  const done: { names: string[]; ms: number }[] = [{ names: [], ms: 0 }];
  const turns = new SharedTurns({ now: () => now, defer: (action) => deferred.push(action) });
  return {
    turns,
    done,
    loop: async (name, steps) => {
      for (const ms of steps) {
        await turns.next();
        const turn = done.at(-1);
        now += ms;
        turn?.names.push(name);
        if (turn !== undefined) turn.ms += ms;
      }
    },
    run: async () => {
      for (let action = deferred.shift(); action !== undefined; action = deferred.shift()) {
        done.push({ names: [], ms: 0 });
        action();
        for (let tick = 0; tick < 50; tick += 1) await Promise.resolve();
      }
    },
  };
}

describe("turns that loops share", () => {
  test("end after the longest time of a turn", async () => {
    const { loop, run, done } = scene();
    const finished = loop(
      "a",
      Array.from({ length: 100 }, () => 3),
    );
    await run();
    await finished;
    expect(Math.max(...done.map(({ ms }) => ms))).toBeLessThan(turnMsMax + 3);
    expect(done.length).toBeGreaterThan(25);
  });

  test("are taken by one loop after the other", async () => {
    const { loop, run, done } = scene();
    const finished = Promise.all(["a", "b", "c"].map(async (name) => loop(name, [6, 6, 6, 6])));
    await run();
    await finished;
    expect(Math.max(...done.map(({ ms }) => ms))).toBeLessThan(turnMsMax + 6);
    expect(done.filter(({ names }) => new Set(names).size > 1)).toEqual([]);
    expect(done.flatMap(({ names }) => names).join("")).toBe("abcabcabcabc");
  });
});
