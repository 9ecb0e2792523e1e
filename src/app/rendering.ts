import type { Clock } from "../core/clock.ts";
import { Renderer, type RendererOptions } from "../previews/renderer.ts";
import type { Log } from "./log/log.ts";
import type { Config } from "./settings/config.ts";

/** Creates a renderer by the settings; its browser starts with the first mail. */
export function createRenderer(
  { chromium: choice, limits }: Pick<Config, "chromium" | "limits">,
  clock: Pick<Clock, "after" | "monotonicMs">,
  options: Pick<RendererOptions, "tasks" | "onStart">,
): Renderer {
  return new Renderer({ choice, limits, clock, ...options });
}

/** Returns a function that warns once, when a browser starts as root and therefore without a sandbox. */
export function rootWarning(log: Pick<Log, "warn">): () => void {
  let isLogged = process.getuid?.() !== 0;
  return () => {
    if (!isLogged) log.warn({}, "Chromium runs as root without its sandbox; run the service as another user");
    isLogged = true;
  };
}
