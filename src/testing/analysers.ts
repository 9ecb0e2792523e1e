import { unobservedTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import type { Limits } from "../core/limits.ts";
import { createBodyAnalyser } from "../operations/services/reading/body-analyser.ts";
import type { Context } from "../operations/context.ts";
import { createTemplateRenderer } from "../operations/services/templates/template-renderer.ts";
import { createInspector } from "../operations/services/inspection/inspector.ts";

/** Creates the analysers of mails and the renderer of templates, in real worker processes, which start with the first call. */
export function analysersOf(limits: Limits, clock: Clock): Pick<Context, "inspector" | "bodies" | "templates"> {
  const tasks = unobservedTasks;
  return {
    inspector: createInspector({ limits, clock, tasks }),
    bodies: createBodyAnalyser({ clock, tasks }),
    templates: createTemplateRenderer({ clock, tasks }),
  };
}
