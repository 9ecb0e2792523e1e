import { reparseQueue, type ReparseResult } from "../../operations/inbound/reparse-mails.ts";
import { startQueueWorker } from "../../queue/queue-worker.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { createMessageScanner, startLinkScans } from "./link-scans.ts";
import { startScheduledMessages } from "./scheduled-messages.ts";

/** Starts the workers that parse mails again, let scheduled ones arrive and scan links; the returned function stops them. */
export function startMailLoops(
  assembly: Pick<Assembly, "context" | "metrics" | "reparse" | "onScanNotification">,
  base: Pick<BaseDependencies, "config" | "log" | "nodes" | "tasks">,
): () => Promise<void> {
  const { context, reparse, onScanNotification } = assembly;
  const { scanner, close } = createMessageScanner(assembly, base);
  const onReparsed = ({ id: message, attempts, outcome, error }: ReparseResult): void => {
    if (outcome === "read") base.log.info({ message, attempts }, "mail parsed on retry");
    if (outcome === "given_up")
      base.log.error({ message, attempts, err: error }, "mail cannot be parsed: last attempt failed");
  };
  const workers = [
    startScheduledMessages({ ...assembly, scanner }, base),
    startLinkScans({ ...assembly, scanner }, base),
    startQueueWorker({ ...base, clock: context.clock }, reparseQueue({ ...context, reparse }, onReparsed)),
  ];
  onScanNotification(() => {
    for (const { wake } of workers) wake();
  });
  return async () => {
    onScanNotification(() => undefined);
    await Promise.all(workers.map((worker) => worker.close()));
    await close();
  };
}
