import type { Clock } from "../core/clock.ts";
import { Renderer, type RendererOptions } from "../previews/renderer.ts";
import type { Config } from "./settings/config.ts";

/** Creates a renderer by the settings; its browser starts with the first mail. */
export function createRenderer(
  { chromium: choice, limits }: Pick<Config, "chromium" | "limits">,
  clock: Pick<Clock, "after" | "monotonicMs">,
  options: Pick<RendererOptions, "tasks" | "onStart">,
): Renderer {
  return new Renderer({ choice, limits, clock, ...options });
}
