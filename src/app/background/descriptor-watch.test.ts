import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type BackgroundTaskEvent, createBackgroundTasks } from "../../core/background-tasks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { logBackgroundTask } from "./background-log.ts";
import { startDescriptorWatch } from "./descriptor-watch.ts";

const failureOf = (code: string): Error => Object.assign(new Error(`${code}: open '/dev/null'`), { code });

test("fails while no descriptor is free, with a line when that begins and one when it ends", async () => {
  const clock = new FakeClock();
  const events: BackgroundTaskEvent[] = [];
  const tasks = createBackgroundTasks(clock, (event) => events.push(event));
  let failure: Error | null = null;
  const stop = startDescriptorWatch(clock, tasks, () =>
    failure === null ? Promise.resolve() : Promise.reject(failure),
  );
  const round = async (error: Error | null): Promise<string | undefined> => {
    failure = error;
    clock.advance(2000);
    await setImmediate();
    return tasks.states()[0]?.state;
  };
  expect(await round(null)).toBe("ok");
  for (const code of ["EMFILE", "ENFILE", "EMFILE"]) expect(await round(failureOf(code))).toBe("failing");
  const degrades = "new connections are closed, because no file descriptor is free";
  expect(tasks.states()).toMatchObject([{ task: "descriptors", failureCount: 3, degrades }]);
  expect(await round(null)).toBe("ok");
  expect(await round(failureOf("ENOENT"))).toBe("ok");
  await stop();
  const lines: unknown[] = [];
  const write = (fields: object, message: string): number => lines.push([message, Object.keys(fields)]);
  for (const event of events) logBackgroundTask({ debug: write, info: write, warn: write, error: write }, event);
  expect(lines).toEqual([
    [
      "file descriptors exhausted: new connections are closed until some are free; raise the limit of open files",
      ["err", "failureCount"],
    ],
    ["file descriptors are free again", ["failureCount"]],
  ]);
});
