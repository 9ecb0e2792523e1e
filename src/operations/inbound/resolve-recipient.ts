import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";

/**
 * Returns the server that receives mail for an address: the authenticated one, else the one named by the first label of
 * the domain, else the catch-all; undefined without one (550 5.1.1). Without a promise where the store knows the server, so that
 * pipelined recipients are answered together.
 */
export function resolveRecipient(
  context: Pick<Context, "store" | "settings">,
  address: string,
  authenticatedAs: ServerId | null,
): Promise<ServerId | undefined> | ServerId | undefined {
  if (authenticatedAs !== null) return authenticatedAs;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const named = parseServerId(domain.split(".", 1)[0] ?? "");
  if (named === undefined) return findCatchAll(context);
  const found = context.store.hasServer(named);
  if (found instanceof Promise) return found.then((exists) => (exists ? named : findCatchAll(context)));
  return found ? named : findCatchAll(context);
}

/** Returns the catch-all server; undefined when it is off. */
export async function findCatchAll(context: Pick<Context, "store" | "settings">): Promise<ServerId | undefined> {
  const { catchAll } = context.settings;
  if (catchAll === "off") return undefined;
  if (catchAll !== "first") return (await context.store.hasServer(catchAll)) ? catchAll : undefined;
  return (await context.store.findOldestServer())?.id;
}
