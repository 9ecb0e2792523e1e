/** Watch of the file descriptors of the process. */
import { open } from "node:fs/promises";
import { devNull } from "node:os";
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { isDescriptorShortage } from "../../core/process-resources.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Name of the task, which the log writes in its own words. */
export const descriptorTask = "descriptors";

const everyMs = 2000;

/**
 * Starts the task that fails while no file descriptor is free. Without it nobody would notice: libuv accepts connections with
 * a descriptor in reserve and closes them, and reports no error. The returned function stops it.
 */
export function startDescriptorWatch(
  clock: Pick<Clock, "after">,
  tasks: BackgroundTasks,
  probe: () => Promise<void> = openAndClose,
): () => Promise<void> {
  return startBackgroundLoop(clock, {
    everyMs,
    retryMsMax: everyMs,
    task: tasks.register(descriptorTask, {
      degrades: "new connections are closed, because no file descriptor is free",
    }),
    round: async () => {
      try {
        await probe();
      } catch (error) {
        if (isDescriptorShortage(error)) throw error;
      }
    },
  });
}

async function openAndClose(): Promise<void> {
  const file = await open(devNull);
  await file.close();
}
