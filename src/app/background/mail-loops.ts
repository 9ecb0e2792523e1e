import type { Assembly, BaseDependencies } from "../assemble.ts";
import { createMessageScanner, startLinkScans } from "./link-scans.ts";
import { startReparseLoop } from "./reparse-loop.ts";
import { startScheduledMessages } from "./scheduled-messages.ts";

/** Starts the loops that parse mails again, let scheduled ones arrive and scan links; the returned function stops them. */
export async function startMailLoops(
  assembly: Pick<Assembly, "context" | "metrics" | "reparse" | "onScanNotification">,
  base: Pick<BaseDependencies, "config" | "log" | "nodes" | "tasks">,
): Promise<() => Promise<void>> {
  const { scanner, close } = createMessageScanner(assembly, base);
  const arrivals = await startScheduledMessages({ ...assembly, scanner }, base);
  const scans = await startLinkScans({ ...assembly, scanner }, base);
  assembly.onScanNotification(() => {
    scans.check();
    arrivals.check();
  });
  const stops = [startReparseLoop(assembly, base), arrivals.stop, scans.stop];
  return async () => {
    assembly.onScanNotification(() => undefined);
    await Promise.all(stops.map((stop) => stop()));
    await close();
  };
}
