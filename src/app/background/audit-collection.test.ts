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

test("reports the results of backup commands as a background task", async () => {
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  const adopted: AuditEntry[] = [];
  const audit = { adopt: async (entries: readonly AuditEntry[]) => void adopted.push(...entries) };
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const backup = (): BackgroundTaskState | undefined => tasks.states().find(({ task }) => task === "backup");
  const act = { action: "store.backup", target: null, server: null } as const;

  leaveForService(folder, 1, { ...act, details: { failed: true, reason: "no space left" } });
  const stop = await startAuditCollection({ context: { audit, clock } as never, dataDir: folder, log, tasks });
  expect(backup()).toMatchObject({ state: "failing", failureCount: 1, lastFailure: { reason: "no space left" } });

  leaveForService(folder, 2, { ...act, details: {} });
  clock.advance(5000);
  await expect.poll(() => backup()?.state).toBe("ok");
  expect(adopted).toHaveLength(2);

  await stop();
  expect(backup()).toBeUndefined();
});
