import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { workerProgram } from "./worker-process.ts";

const worker = {
  workerData: null,
  file: pathToFileURL("/worker.js"),
  memory: { heapMegabytesMax: 100, buffersMegabytesMax: 50 },
  cpuSecondsMax: 1.5,
};
const launchers = ["/bin/sh", "/usr/bin/prlimit"] as const;

describe("command of a worker", () => {
  test.each(launchers.filter((path) => existsSync(path)))("sets the limits of the process with %s", (launcher) => {
    const { command, args } = workerProgram(worker, (path) => path === launcher);
    expect(command).toBe(launcher);
    const own = args.slice(0, args.indexOf(process.execPath));
    const limits = execFileSync(command, [...own, "/bin/cat", "/proc/self/limits"], { encoding: "utf8" });
    const limitOf = (name: string): string | undefined => new RegExp(`^${name} +(\\S+)`, "m").exec(limits)?.[1];
    expect(limitOf("Max core file size")).toBe("0");
    expect(limitOf("Max data size")).toBe(String((640 + 96 + 100 + 50) * 1024 ** 2));
    expect(limitOf("Max cpu time")).toBe("2");
  });

  test.each(launchers.filter((path) => existsSync(path)))("leaves a process without limits with %s", (launcher) => {
    const unlimited = { ...worker, memory: { heapMegabytesMax: 100, buffersMegabytesMax: null }, cpuSecondsMax: null };
    const { command, args } = workerProgram(unlimited, (path) => path === launcher);
    const own = args.slice(0, args.indexOf(process.execPath));
    expect(spawnSync(command, [...own, "/bin/cat", "/proc/self/limits"]).stdout.toString()).toMatch(
      /^Max cpu time +unlimited/m,
    );
  });

  test("is Node alone where no program sets limits", () => {
    expect(workerProgram(worker, () => false)).toEqual({
      command: process.execPath,
      args: ["--max-old-space-size=100", "--max-semi-space-size=8", "/worker.js"],
    });
  });
});
