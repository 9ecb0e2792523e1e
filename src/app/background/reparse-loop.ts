/** Background loop that parses again mails that could not be parsed on arrival. */
import type { EmailReading } from "../../operations/services/reading/email-reader.ts";
import { reparseNext } from "../../operations/inbound/reparse-mails.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Pause between two queries for due mails, in milliseconds. */
const pollMs = 15_000;

/** Starts the loop; the returned function stops it. */
export function startReparseLoop(
  { context, reparse }: Pick<Assembly, "context"> & Pick<EmailReading, "reparse">,
  { log, tasks }: Pick<BaseDependencies, "log" | "tasks">,
): () => Promise<void> {
  let backlog = 0;
  const { reparses } = context.store;
  const task = tasks.register("reparse", {
    backlog: () => backlog,
    degrades: "some mails are shown without subject, text and attachments",
  });
  return startBackgroundLoop(context.clock, {
    everyMs: pollMs,
    task,
    round: async () => {
      const done = await reparseNext({ ...context, reparse });
      backlog = await reparses.countReparses();
      if (done === undefined) return pollMs;
      const { message, attempts, outcome, error } = done;
      if (outcome === "read") log.info({ message, attempts }, "mail parsed on retry");
      if (outcome === "given_up")
        log.error({ message, attempts, err: error }, "mail cannot be parsed: last attempt failed");
      if (error !== null) throw error;
      return 0;
    },
  });
}
