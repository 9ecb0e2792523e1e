/** Checks the systemd unit by systemd itself, where it is installed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stopMsMax } from "../../src/app/stop-signal.ts";
import { readText } from "./source-files.ts";

const path = "deploy/systemd/restante.service";
const unit = readText(path);
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** Returns the value of a directive that occurs once. */
const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";

test("gives the service enough time to stop, and a folder that it may write", () => {
  expect(Number(valueOf("TimeoutStopSec")) * 1000).toBeGreaterThan(stopMsMax);
  expect(valueOf("Environment")).toContain(`RESTANTE_DATA_DIR=%S/${valueOf("StateDirectory")}`);
  expect(valueOf("DynamicUser")).toBe("yes");
});

test.skipIf(!hasSystemd)("is valid, and rated as well protected by systemd-analyze", () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-unit-"));
  try {
    const file = join(folder, "restante.service");
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
    const verified = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
    expect([verified.status, verified.stderr]).toEqual([0, ""]);
    // Exposure in tenths: 1.5 of 10.
    const rated = spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=15", "--no-pager", file]);
    expect(rated.status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
