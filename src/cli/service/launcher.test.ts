import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { findLauncher, systemProcesses, watchLauncher, type ProcessTable } from "./serve.ts";

type Row = readonly [pid: number, parent: number, command: string];

function tableOf(rows: readonly Row[]): ProcessTable {
  const rowOf = (pid: number): Row | undefined => rows.find(([own]) => own === pid);
  return { parentOf: (pid) => rowOf(pid)?.[1], commandOf: (pid) => rowOf(pid)?.[2] ?? "" };
}

const started = { npm_lifecycle_script: "restante serve" };
const rows: Row[] = [
  [10, 1, "npm exec restante serve"],
  [11, 10, "sh -c restante serve"],
  [12, 11, "node restante serve"],
];

describe("findLauncher", () => {
  test("finds npm behind its shell", () => {
    expect(findLauncher(12, started, tableOf(rows))).toEqual([11, 10]);
  });

  test("finds npm as the parent", () => {
    const direct: Row[] = [
      [10, 1, "node /usr/lib/node_modules/npm/bin/npm-cli.js start"],
      [12, 10, "node"],
    ];
    expect(findLauncher(12, started, tableOf(direct))).toEqual([10]);
  });

  test.each([
    ["it was not started by a script", {}, rows],
    ["the script leaves it in the background", { npm_lifecycle_script: "restante serve &" }, rows],
    [
      "another script is in between",
      started,
      [
        [10, 1, "npm test"],
        [11, 10, "sh -c ./all.sh"],
        [13, 11, "sh ./all.sh"],
        [12, 13, "node"],
      ],
    ],
    ["the parent has ended already", started, [[12, 1, "node restante serve"]]],
  ] as const)("finds none when %s", (_, environment, given) => {
    expect(findLauncher(12, environment, tableOf(given))).toBeUndefined();
  });
});

describe("watchLauncher", () => {
  test.each([
    ["npm", 10, 11],
    ["its shell", 11, 12],
  ])("calls onEnd once when %s has exited", (_, ended, orphan) => {
    const clock = new FakeClock();
    const there = new Map(rows.map((row) => [row[0], row]));
    const table: ProcessTable = { parentOf: (pid) => there.get(pid)?.[1], commandOf: () => "" };
    let count = 0;
    watchLauncher(12, [11, 10], { table, clock, onEnd: () => (count += 1) });
    clock.advance(10_000);
    expect(count).toBe(0);
    there.delete(ended);
    there.set(orphan, [orphan, 1, ""]);
    clock.advance(10_000);
    expect(count).toBe(1);
  });
});

test.runIf(process.platform === "linux")("the process table knows this process", () => {
  expect(systemProcesses.parentOf(process.pid)).toBe(process.ppid);
  expect(systemProcesses.commandOf(process.pid)).not.toBe("");
  expect(systemProcesses.parentOf(2 ** 30)).toBeUndefined();
});
