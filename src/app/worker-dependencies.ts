import type { Context } from "../operations/context.ts";
import { createInspector } from "../operations/services/inspection/inspector.ts";
import { createBodyAnalyser } from "../operations/services/reading/body-analyser.ts";
import { createTemplateRenderer } from "../operations/services/templates/template-renderer.ts";
import type { BaseDependencies } from "./assemble.ts";

/** Creates the analysers and the renderer of templates, which run in worker processes that start with the first call. */
export function workerDependencies({
  config,
  clock,
  tasks,
}: BaseDependencies): Pick<Context, "inspector" | "bodies" | "templates"> {
  const { limits } = config;
  return {
    inspector: createInspector({ limits, clock, tasks }),
    bodies: createBodyAnalyser({ clock, tasks }),
    templates: createTemplateRenderer({ clock, tasks }),
  };
}
