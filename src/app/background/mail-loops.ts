import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startReparseLoop } from "./reparse-loop.ts";
import { startScheduledMessages } from "./scheduled-messages.ts";

/** Starts the loops that parse mails again and let scheduled ones arrive; the returned function stops them. */
export async function startMailLoops(
  assembly: Pick<Assembly, "context" | "reparse">,
  base: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): Promise<() => Promise<void>> {
  const stops = [startReparseLoop(assembly, base), await startScheduledMessages(assembly, base)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
