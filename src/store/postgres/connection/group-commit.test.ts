import { expect, test } from "vitest";
import { GroupCommit, type Group } from "./group-commit.ts";

type CommittedGroup = readonly (readonly [server: number, parts: readonly string[]])[];

/** Returns a clock that advances only on `advance`. */
function manualClock() {
  let now = 0;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    monotonicMs: () => now,
    after: (delayMs: number, action: () => void) => {
      timers.push({ at: now + delayMs, action });
      return () => undefined;
    },
    advance: (ms: number) => {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { action } of due) action();
    },
  };
}

/** Returns a group commit whose groups complete when the test calls `end`. */
function scripted(options: { readonly commitCountMax?: number; readonly serverCountMax?: number } = {}) {
  const groups: { readonly committed: CommittedGroup; readonly end: () => void }[] = [];
  const commit = async (group: Group<string, string>): Promise<void> => {
    await new Promise<void>((resolve) => {
      const committed = [...group].map(([server, calls]) => [server, calls.flatMap(({ parts }) => parts)] as const);
      groups.push({ committed, end: resolve });
    });
    for (const call of [...group.values()].flat()) call.resolve(call.parts.map((part) => part.toUpperCase()));
  };
  const clock = manualClock();
  const bounds = { commitCountMax: 1, serverCountMax: 100, ...options };
  const groupCommit = new GroupCommit<string, string>({ commit, clock, ...bounds });
  const add = async (server: number, part: string, sizeBytes = 1) =>
    groupCommit.add({ server, parts: [part], sizeBytes });
  return { groups, add, advance: clock.advance };
}

const settle = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
};

test("combines calls that arrive during a commit into the next group, ordered by server", async () => {
  const { groups, add, advance } = scripted();
  const first = add(5, "a");
  await settle();
  const rest = [add(9, "b"), add(5, "c"), add(9, "d")];
  await settle();
  expect(groups.map(({ committed }) => committed)).toEqual([[[5, ["a"]]]]);
  advance(100);
  groups[0]?.end();
  expect(await first).toEqual(["A"]);
  await settle();
  expect(groups[1]?.committed).toEqual([
    [5, ["c"]],
    [9, ["b", "d"]],
  ]);
  groups[1]?.end();
  expect(await Promise.all(rest)).toEqual([["B"], ["C"], ["D"]]);
});

test("commits two groups concurrently, but never two of the same server", async () => {
  const { groups, add, advance } = scripted({ commitCountMax: 2 });
  void add(1, "a");
  await settle();
  void add(1, "b");
  void add(2, "c");
  advance(100);
  await settle();
  expect(groups.map(({ committed }) => committed)).toEqual([[[1, ["a"]]], [[2, ["c"]]]]);
  advance(100);
  groups[0]?.end();
  await settle();
  expect(groups[2]?.committed).toEqual([[1, ["b"]]]);
});

test("limits the servers, calls and bytes of a group without losing calls", async () => {
  const { groups, add, advance } = scripted({ serverCountMax: 1 });
  void add(1, "a");
  void add(2, "b");
  for (let count = 0; count < 300; count += 1) void add(3, "c");
  void add(4, "d", 9e6);
  void add(4, "e");
  const sizes: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    await settle();
    advance(100);
    await settle();
    sizes.push(groups[count]?.committed.flatMap(([, parts]) => parts).length ?? 0);
    groups[count]?.end();
  }
  expect(sizes).toEqual([1, 1, 256, 1, 44, 1]);
});

test("commits a single caller without delay", async () => {
  const { groups, add } = scripted();
  for (let count = 0; count < 3; count += 1) {
    const added = add(1, "a");
    await settle();
    expect(groups).toHaveLength(count + 1);
    groups[count]?.end();
    await added;
  }
});

test("delays a group under concurrency until a few milliseconds pass or enough calls wait", async () => {
  const { groups, add, advance } = scripted();
  for (const part of ["a", "b"]) void add(1, part);
  await settle();
  expect(groups[0]?.committed).toEqual([[1, ["a", "b"]]]);
  groups[0]?.end();
  void add(1, "c");
  await settle();
  advance(7);
  expect(groups).toHaveLength(1);
  advance(1);
  expect(groups[1]?.committed).toEqual([[1, ["c"]]]);
  groups[1]?.end();
  for (let count = 0; count < 40; count += 1) void add(1, "d");
  await settle();
  expect(groups).toHaveLength(3);
});

test("does not delay calls when the clock steps back", async () => {
  const { groups, add, advance } = scripted();
  void add(1, "a");
  await settle();
  groups[0]?.end();
  advance(-3_600_000);
  for (const part of ["b", "c"]) void add(1, part);
  await settle();
  expect(groups).toHaveLength(2);
});
