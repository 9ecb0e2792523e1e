import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { groupBytes, killGroup } from "./process-group.ts";

test.runIf(existsSync("/proc/self/statm"))("groupBytes returns the memory of all processes of the group", async () => {
  const hold = "const held = Buffer.alloc(60e6, 1); process.stdout.write('x'); setInterval(() => held, 1000)";
  const run = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(hold)}], { stdio: "inherit" }); setInterval(() => 0, 1000)`;
  const leader = spawn(process.execPath, ["-e", run], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const { pid = 0 } = leader;
  await once(leader.stdout, "data");
  expect(groupBytes(pid)).toBeGreaterThan(60e6);
  expect(groupBytes(pid)).toBeLessThan(500e6);
  killGroup(pid);
  await once(leader, "close");
  expect(groupBytes(pid)).toBe(0);
});

test("groupBytes returns 0 for a group that has exited, and killGroup has no effect on it", () => {
  expect(groupBytes(2 ** 30)).toBe(0);
  killGroup(2 ** 30);
});
