/** What shows mails as they look, by the settings. */
import type { Clock } from "../core/clock.ts";
import { Renderer, type RendererOptions } from "../previews/renderer.ts";
import type { Config } from "./config.ts";

/** A renderer that has not started anything yet. `onFault` hears why a mail was not rendered, at most 2000 characters. */
export function createRenderer(
  { chromium: choice, limits }: Pick<Config, "chromium" | "limits">,
  clock: Pick<Clock, "after">,
  { onFault, onStart }: Required<Pick<RendererOptions, "onFault" | "onStart">>,
): Renderer {
  return new Renderer({
    choice,
    limits,
    clock,
    onStart,
    onFault: (detail) => {
      onFault(detail.slice(0, 2000));
    },
  });
}
