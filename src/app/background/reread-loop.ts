/** The loop that reads mails again that could not be read when they arrived. */
import type { EmailReading } from "../../operations/email-reader.ts";
import { rereadNext } from "../../operations/reread-mails.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Pause between two looks for mails that are due, in milliseconds. */
const lookMs = 15_000;

/** Starts the loop; the returned function ends it. */
export function startRereadLoop(
  { context, reread }: Pick<Assembly, "context"> & Pick<EmailReading, "reread">,
  { log, tasks }: Pick<BaseDependencies, "log" | "tasks">,
): () => Promise<void> {
  let backlog = 0;
  const { rereads } = context.store;
  const task = tasks.register("reread", {
    backlog: () => backlog,
    degrades: "some mails are shown without subject, text and attachments",
  });
  return startBackgroundLoop(context.clock, {
    everyMs: lookMs,
    task,
    round: async () => {
      const done = await rereadNext({ ...context, reread });
      backlog = await rereads.countRereads();
      if (done === undefined) return lookMs;
      const { message, attempts, outcome, error } = done;
      if (outcome === "read") log.info({ message, attempts }, "mail read again");
      if (outcome === "given_up")
        log.error({ message, attempts, err: error }, "mail stays unread: last attempt failed");
      if (error !== null) throw error;
      return 0;
    },
  });
}
