/** Tests with a fake browser that never responds and ignores every signal that can be ignored. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackgroundTasks } from "../core/background-tasks.ts";
import { Problem } from "../core/errors.ts";
import { defaultLimits } from "../core/limits.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { defunctChildren, processesWhere } from "./browser.test-aid.ts";
import { emailClients } from "./email-client.ts";
import { Renderer } from "./renderer.ts";

/** At most 15 characters, because proc(5) truncates names. */
const name = `mute-${String(process.pid % 1e6)}`;
const standIn = `#!/bin/sh
trap "" HUP INT QUIT TERM
while :; do sleep 1; done
`;

test.runIf(existsSync("/proc/self/stat"))("kills and reaps a browser that exceeds its time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restante-mute-"));
  const choice = join(folder, name);
  writeFileSync(choice, standIn, { mode: 0o755 });
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  const renderer = new Renderer({ choice, limits: defaultLimits, clock, tasks });
  const client = emailClients[0];
  if (client === undefined) throw new Error("there is no email client");
  for (const _ of [1, 2]) {
    const asked = renderer
      .render(async () => Buffer.from("\r\nx"), client, { key: "one" })
      .catch((error: unknown) => error);
    await expect.poll(() => running().length).toBe(1);
    const [child = 0] = running();
    clock.advance(90_000);
    const refused = await asked;
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ code: "unavailable" });
    await expect.poll(() => existsSync(`/proc/${String(child)}`)).toBe(false);
    // Pause before the next start of a browser.
    clock.advance(30_000);
  }
  await renderer.close();
  // Init reaps the processes that the worker process did not reap.
  await expect.poll(() => processesWhere((entry) => entry.name === name)).toEqual([]);
  expect(defunctChildren()).toEqual([]);
  rmSync(folder, { recursive: true });
});

function running(): readonly number[] {
  return processesWhere((entry) => entry.state !== "Z" && entry.name === name);
}
