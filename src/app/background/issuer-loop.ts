/** Refresh of the sessions of users at OpenID providers. */
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Context } from "../../operations/context.ts";
import { refreshIssuerSessions } from "../../operations/people/issuer-sessions.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Pause between two rounds, in milliseconds. */
const roundMs = 60_000;

/**
 * Starts the loop that refreshes the sessions that are due, and asks for the metadata of issuers that did not answer; nothing without
 * issuers. The returned function stops it.
 */
export function startIssuerLoop(context: Context, tasks: BackgroundTasks): () => Promise<void> {
  const { all } = context.issuers;
  if (all.length === 0) return async () => undefined;
  return startBackgroundLoop(context.clock, {
    everyMs: roundMs,
    task: tasks.register("oidc_sessions", { degrades: "sessions outlive those at their OpenID provider" }),
    round: async () => {
      await Promise.all(all.map((issuer) => issuer.recover()));
      await refreshIssuerSessions(context);
    },
  });
}
