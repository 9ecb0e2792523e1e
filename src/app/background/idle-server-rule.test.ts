import { expect, test } from "vitest";
import { createBackgroundTasks } from "../../core/background-tasks.ts";
import { openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { Assembly } from "../assemble.ts";
import { idleRuleMs, startIdleServerRule } from "./idle-server-rule.ts";

test("removes idle servers every ten minutes where the setting asks for it, and logs and counts them", async () => {
  await using api = await openHttpTestServer();
  const logged: unknown[] = [];
  let removed = 0;
  const silent = (): void => undefined;
  const log = { debug: silent, info: (fields: unknown) => void logged.push(fields), warn: silent, error: silent };
  const tasks = createBackgroundTasks(api.clock, silent);
  const metrics = { serverRemoved: () => (removed += 1) } as unknown as Assembly["metrics"];
  const start = (idleServerDays: number | null) => {
    const context = { ...api.context, settings: { ...api.context.settings, idleServerDays } };
    return startIdleServerRule({ context, metrics }, { nodes: null, log, tasks });
  };
  await start(null)();
  expect(tasks.states()).toEqual([]);
  await api.addServer("catch-all");
  api.clock.advance(1);
  const idle = await api.addServer("idle");
  api.clock.advance(2 * 86_400_000);
  const stop = start(1);
  expect(tasks.states()).toMatchObject([{ task: "idle_servers" }]);
  api.clock.advance(idleRuleMs);
  await stop();
  expect([logged, removed]).toEqual([[{ server: idle.id, idleDays: 2 }], 1]);
});
