import { expect, test } from "vitest";
import { GroupCommit } from "./group-commit.ts";
import type { Group } from "./group-commit.ts";

type Taken = readonly (readonly [server: number, parts: readonly string[]])[];

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
  const gathered = new GroupCommit<string, string>({ commit, commitCountMax: 1, serverCountMax: 100, ...options });
  const add = async (server: number, part: string, sizeBytes = 1) => gathered.add({ server, parts: [part], sizeBytes });
  return { groups, add };
}

const turn = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
};

test("what comes while a group is under way goes together with the next, servers in order", async () => {
  const { groups, add } = scripted();
  const first = add(5, "a");
  await turn();
  const rest = [add(9, "b"), add(5, "c"), add(9, "d")];
  await turn();
  expect(groups.map(({ taken }) => taken)).toEqual([[[5, ["a"]]]]);
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
  const { groups, add } = scripted({ commitCountMax: 2 });
  void add(1, "a");
  await turn();
  void add(1, "b");
  void add(2, "c");
  await turn();
  expect(groups.map(({ taken }) => taken)).toEqual([[[1, ["a"]]], [[2, ["c"]]]]);
  groups[0]?.end();
  await turn();
  expect(groups[2]?.taken).toEqual([[1, ["b"]]]);
});

test("a group holds no more servers, calls and bytes than it may, and nothing is forgotten", async () => {
  const { groups, add } = scripted({ serverCountMax: 1 });
  void add(1, "a");
  void add(2, "b");
  for (let count = 0; count < 300; count += 1) void add(3, "c");
  void add(4, "d", 9e6);
  void add(4, "e");
  const sizes: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    await turn();
    sizes.push(groups[count]?.taken.flatMap(([, parts]) => parts).length ?? 0);
    groups[count]?.end();
  }
  expect(sizes).toEqual([1, 1, 256, 1, 44, 1]);
});
