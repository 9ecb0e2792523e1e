/** What shows mails as they look, by the settings. */
import type { Clock } from "../core/clock.ts";
import { Renderer } from "../previews/renderer.ts";
import type { Config } from "./config.ts";

/** A renderer that has not started anything yet. `onFault` hears why a mail was not rendered, at most 2000 characters. */
export function createRenderer(
  { chromium: choice, limits }: Pick<Config, "chromium" | "limits">,
  clock: Pick<Clock, "after">,
  onFault: (detail: string) => void,
): Renderer {
  return new Renderer({
    choice,
    limits,
    clock,
    onFault: (detail) => {
      onFault(detail.slice(0, 2000));
    },
  });
}
