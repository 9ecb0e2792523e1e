/** Background loop that fills in the search fields of messages that an older version stored. */
import { fillSearchFields } from "../../operations/inbound/fill-search-fields.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Pause before the first query, and between two passes over all messages, in milliseconds. */
const startMs = 5000;
const passMs = 3_600_000;
/** Shortest pause between two steps; a step is followed by a pause as long as itself, so that it takes half of a core. */
const pauseMsMin = 50;
/** Lease of the node that fills in fields; longer than reading a batch of large mails takes. */
const leaseMs = 15 * 60_000;
const leaseName = "search_fields";

/** Starts the loop; the returned function stops it. */
export function startSearchFieldsLoop(
  { context }: Pick<Assembly, "context">,
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): () => Promise<void> {
  const { store, clock } = context;
  let backlog = 0;
  let filledCount = 0;
  let after: MessageId | null = null;
  const task = tasks.register("search_fields", {
    backlog: () => backlog,
    degrades: "searches do not find codes, file names and other fields of some messages that an older version stored",
  });
  return startBackgroundLoop(clock, {
    everyMs: startMs,
    retryMsMax: passMs,
    task,
    round: async () => {
      if (after === null) backlog = await store.searchFields.countWithoutFields(null);
      if (backlog === 0) return passMs;
      if (nodes !== null && !(await nodes.hold(leaseName, leaseMs))) return leaseMs;
      const startedMs = clock.monotonicMs();
      const step = await fillSearchFields(context, after);
      after = step.after;
      filledCount += step.count;
      backlog = Math.max(0, backlog - step.count);
      if (step.error !== null) throw step.error;
      if (after !== null) return Math.max(pauseMsMin, clock.monotonicMs() - startedMs);
      if (filledCount > 0) log.info({ messages: filledCount }, "search fields of older messages are complete");
      filledCount = 0;
      backlog = await store.searchFields.countWithoutFields(null);
      return passMs;
    },
  });
}
