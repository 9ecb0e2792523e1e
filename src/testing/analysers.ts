import { unobservedTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import type { Limits } from "../core/limits.ts";
import { createBodyAnalyser } from "../operations/services/reading/body-analyser.ts";
import type { Context } from "../operations/context.ts";
import { createInspector } from "../operations/services/inspection/inspector.ts";

/** Creates the analysers of mails, on real worker threads, which start with the first mail that needs them. */
export function analysersOf(limits: Limits, clock: Clock): Pick<Context, "inspector" | "bodies"> {
  const tasks = unobservedTasks;
  return { inspector: createInspector({ limits, clock, tasks }), bodies: createBodyAnalyser({ clock, tasks }) };
}
