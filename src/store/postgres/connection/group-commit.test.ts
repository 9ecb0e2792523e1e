import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";
import type { Group } from "./group-commit.ts";

type Taken = readonly (readonly [server: number, parts: readonly string[]])[];

/** A clock that stands until it is moved. */
function handClock() {
  let now = 0;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    monotonicMs: () => now,
    after: (delayMs: number, action: () => void) => {
      timers.push({ at: now + delayMs, action });
      return () => undefined;
    },
    move: (ms: number) => {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { action } of due) action();
    },
  };
}

/** A group commit whose groups end when the test says so. */
function scripted(options: { readonly commitCountMax?: number; readonly serverCountMax?: number } = {}) {
  const groups: { readonly taken: Taken; readonly end: () => void }[] = [];
  const commit = async (group: Group<string, string>): Promise<void> => {
    await new Promise<void>((resolve) => {
      const taken = [...group].map(([server, calls]) => [server, calls.flatMap(({ parts }) => parts)] as const);
      groups.push({ taken, end: resolve });
    });
    for (const call of [...group.values()].flat()) call.resolve(call.parts.map((part) => part.toUpperCase()));
  };
  const clock = handClock();
  const bounds = { commitCountMax: 1, serverCountMax: 100, ...options };
  const gathered = new GroupCommit<string, string>({ commit, clock, ...bounds });
  const add = async (server: number, part: string, sizeBytes = 1) => gathered.add({ server, parts: [part], sizeBytes });
  return { groups, add, move: clock.move };
}

const turn = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
};

test("what comes while a group is under way goes together with the next, servers in order", async () => {
  const { groups, add, move } = scripted();
  const first = add(5, "a");
  await turn();
  const rest = [add(9, "b"), add(5, "c"), add(9, "d")];
  await turn();
  expect(groups.map(({ taken }) => taken)).toEqual([[[5, ["a"]]]]);
  move(100);
  groups[0]?.end();
  expect(await first).toEqual(["A"]);
  await turn();
  expect(groups[1]?.taken).toEqual([
    [5, ["c"]],
    [9, ["b", "d"]],
  ]);
  groups[1]?.end();
  expect(await Promise.all(rest)).toEqual([["B"], ["C"], ["D"]]);
});

test("two groups may be under way, but never two of one server", async () => {
  const { groups, add, move } = scripted({ commitCountMax: 2 });
  void add(1, "a");
  await turn();
  void add(1, "b");
  void add(2, "c");
  move(100);
  await turn();
  expect(groups.map(({ taken }) => taken)).toEqual([[[1, ["a"]]], [[2, ["c"]]]]);
  move(100);
  groups[0]?.end();
  await turn();
  expect(groups[2]?.taken).toEqual([[1, ["b"]]]);
});

test("a group holds no more servers, calls and bytes than it may, and nothing is forgotten", async () => {
  const { groups, add, move } = scripted({ serverCountMax: 1 });
  void add(1, "a");
  void add(2, "b");
  for (let count = 0; count < 300; count += 1) void add(3, "c");
  void add(4, "d", 9e6);
  void add(4, "e");
  const sizes: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    await turn();
    move(100);
    await turn();
    sizes.push(groups[count]?.taken.flatMap(([, parts]) => parts).length ?? 0);
    groups[count]?.end();
  }
  expect(sizes).toEqual([1, 1, 256, 1, 44, 1]);
});

test("who sends alone never waits", async () => {
  const { groups, add } = scripted();
  for (let count = 0; count < 3; count += 1) {
    const added = add(1, "a");
    await turn();
    expect(groups).toHaveLength(count + 1);
    groups[count]?.end();
    await added;
  }
});

test("where several send, a group begins some milliseconds after the one before, or when enough calls wait", async () => {
  const { groups, add, move } = scripted();
  for (const part of ["a", "b"]) void add(1, part);
  await turn();
  expect(groups[0]?.taken).toEqual([[1, ["a", "b"]]]);
  groups[0]?.end();
  void add(1, "c");
  await turn();
  move(7);
  expect(groups).toHaveLength(1);
  move(1);
  expect(groups[1]?.taken).toEqual([[1, ["c"]]]);
  groups[1]?.end();
  for (let count = 0; count < 40; count += 1) void add(1, "d");
  await turn();
  expect(groups).toHaveLength(3);
});

test("a clock that steps back holds nobody up", async () => {
  const { groups, add, move } = scripted();
  void add(1, "a");
  await turn();
  groups[0]?.end();
  move(-3_600_000);
  for (const part of ["b", "c"]) void add(1, part);
  await turn();
  expect(groups).toHaveLength(2);
});
