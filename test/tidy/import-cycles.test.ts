/** Import cycles: none at run time; cycles of type imports only within one folder. */
import { posix } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

const sources = [...filesBelow("src", ".ts"), ...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")].filter(
  ({ path }) => !/\.test\.tsx?$/.test(path),
);

type Graph = ReadonlyMap<string, readonly string[]>;

/** Returns the files that each file imports, with or without imports that are erased because they name types only. */
function importGraph(withTypes: boolean): Graph {
  return new Map(
    sources.map(({ path, text }) => {
      const imports = text.matchAll(/^(?:import|export)(?<type> type)? (?<names>[^;]*?)from "(?<target>\.[^"]+)"/gm);
      const targets = Array.from(imports, ({ groups = {} }) => {
        const { type, names = "", target = "" } = groups;
        const isType = type !== undefined || /^\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}\s*$/.test(names);
        return isType && !withTypes ? [] : [posix.join(posix.dirname(path), target)];
      });
      return [path, targets.flat()];
    }),
  );
}

/** Returns the sets of files that can all reach one another (Tarjan's strongly connected components). */
function cyclesOf(graph: Graph): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  function visit(file: string): number {
    const index = indexes.size;
    indexes.set(file, index);
    stack.push(file);
    let lowest = index;
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      if (!indexes.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, indexes.get(target) ?? lowest);
    }
    if (lowest !== index) return lowest;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1) cycles.push(component.toSorted());
    return lowest;
  }
  for (const file of graph.keys()) if (!indexes.has(file)) visit(file);
  return cycles;
}

test("no import cycle exists at run time", () => {
  expect(cyclesOf(importGraph(false))).toEqual([]);
});

test("cycles of type imports stay within one folder", () => {
  const acrossFolders = cyclesOf(importGraph(true)).filter(
    (files) => new Set(files.map((file) => posix.dirname(file))).size > 1,
  );
  expect(acrossFolders).toEqual([]);
});
