import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AuditEntry } from "../../core/audit-entry.ts";
import { createBackgroundTasks, type BackgroundTaskState } from "../../core/background-tasks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { startAuditCollection } from "./audit-collection.ts";
import { leaveForService } from "../log/audit-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-audit-collection-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ["backup", "store.backup"],
  ["restore_drill", "store.drill"],
] as const)("reports the results of commands as the background task %s", async (task, action) => {
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  const adopted: AuditEntry[] = [];
  const audit = { adopt: async (entries: readonly AuditEntry[]) => void adopted.push(...entries) };
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const reported = (): BackgroundTaskState | undefined => tasks.states().find((one) => one.task === task);
  const act = { action, target: null, server: null };

  leaveForService(folder, 1, { ...act, details: { failed: true, reason: "no space left" } });
  const stop = await startAuditCollection({ context: { audit, clock } as never, dataDir: folder, log, tasks });
  expect(reported()).toMatchObject({ state: "failing", failureCount: 1, lastFailure: { reason: "no space left" } });

  leaveForService(folder, 2, { ...act, details: {} });
  clock.advance(5000);
  await expect.poll(() => reported()?.state).toBe("ok");
  expect(adopted).toHaveLength(2);

  await stop();
  expect(reported()).toBeUndefined();
});
