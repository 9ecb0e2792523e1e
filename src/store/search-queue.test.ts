import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { SearchQueue } from "./search-queue.ts";

/** A queue whose searches end when they are told to. */
function aStage(runningPerCallerCountMax = 1) {
  const queue = new SearchQueue<string>({ runningCountMax: 2, runningPerCallerCountMax });
  const log: string[] = [];
  const ends = new Map<string, (answer: string) => void>();
  const ask = (caller: string, query: string, signal?: AbortSignal): Promise<string> =>
    queue.run({ caller, query, signal }, async (all) => {
      const begun = `${caller} ${query}`;
      log.push(begun);
      all.addEventListener("abort", () => log.push(`end ${begun}`));
      return await new Promise((resolve) => ends.set(begun, resolve));
    });
  return { log, ask, end: (begun: string) => ends.get(begun)?.(begun) };
}

describe("the queue of searches", () => {
  test("shares a search that waits, and not one that has begun", async () => {
    const { log, ask, end } = aStage();
    const first = ask("a", "one");
    await setImmediate();
    const [second, third] = [ask("a", "one"), ask("a", "one")];
    await setImmediate();
    expect(log).toEqual(["a one"]);
    end("a one");
    expect(await first).toBe("a one");
    await setImmediate();
    expect(log).toEqual(["a one", "a one"]);
    end("a one");
    expect(await Promise.all([second, third])).toEqual(["a one", "a one"]);
    expect(log).toHaveLength(2);
  });

  test("does not let one caller's searches delay another's", async () => {
    const { log, ask, end } = aStage();
    const all = [ask("a", "one"), ask("a", "two"), ask("a", "three"), ask("b", "four")];
    await setImmediate();
    expect(log).toEqual(["a one", "b four"]);
    for (const one of ["a one", "b four", "a two", "a three"]) {
      end(one);
      await setImmediate();
      await setImmediate();
    }
    expect(await Promise.all(all)).toEqual(["a one", "a two", "a three", "b four"]);
  });

  test("ends a search when the last of those who share it has left, not before", async () => {
    const { log, ask, end } = aStage(2);
    const [one, other] = [new AbortController(), new AbortController()];
    const left = [ask("a", "one", one.signal), ask("a", "one", other.signal)].map((answer) =>
      answer.catch((error: unknown) => (error as { code: string }).code),
    );
    await setImmediate();
    one.abort();
    expect(await left[0]).toBe("unavailable");
    expect(log).toEqual(["a one"]);
    other.abort();
    expect(await left[1]).toBe("unavailable");
    expect(log).toEqual(["a one", "end a one"]);
    end("a one");
    const next = ask("a", "two");
    await setImmediate();
    end("a two");
    expect(await next).toBe("a two");
  });

  test("never begins a search whose callers have all left while it waited", async () => {
    const { log, ask, end } = aStage();
    const abort = new AbortController();
    const first = ask("a", "one");
    const second = ask("a", "two", abort.signal).catch(() => "left");
    await setImmediate();
    abort.abort();
    expect(await second).toBe("left");
    end("a one");
    await first;
    await setImmediate();
    expect(log).toEqual(["a one"]);
    await expect(ask("a", "three", abort.signal)).rejects.toMatchObject({ code: "unavailable" });
  });
});
