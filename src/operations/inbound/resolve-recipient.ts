/** Servers that receive the mail to addresses. */
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";

/**
 * Returns the server that receives mail for an address: the authenticated one, else the one named by the first label of
 * the domain, else the catch-all; undefined without one (550 5.1.1). Without a promise where the store knows the server, so that
 * pipelined recipients are answered together.
 */
export function resolveRecipient(
  context: Context,
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
export async function findCatchAll(context: Context): Promise<ServerId | undefined> {
  const { catchAll } = context.settings;
  if (catchAll === "off") return undefined;
  if (catchAll !== "first") return (await context.store.hasServer(catchAll)) ? catchAll : undefined;
  return (await context.store.findOldestServer())?.id;
}

/** Returns whether a server receives the mail to an address. */
export async function isAddressOf(context: Context, server: ServerId, address: string): Promise<boolean> {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return (await findOwnServer(context, domain, [server])) !== undefined;
}

/** Returns whether a server receives the mail to the mail domain itself. */
export async function isCatchAllOf(context: Context, server: ServerId): Promise<boolean> {
  return (await findCatchAll(context)) === server;
}

/**
 * Returns the server that receives mail for a domain, by the rules of the SMTP listener: the server that the first label
 * names, whatever follows it; the catch-all server for the mail domain itself. `visible` are the
 * servers that the caller can access; null for all.
 */
export async function findOwnServer(
  context: Context,
  domain: string,
  visible: readonly ServerId[] | null,
): Promise<ServerId | undefined> {
  const isMailDomain = domain === context.settings.mailDomain;
  const server = isMailDomain ? await findCatchAll(context) : parseServerId(domain.split(".", 1)[0] ?? "");
  if (server === undefined || visible?.includes(server) === false) return undefined;
  return (await context.store.hasServer(server)) ? server : undefined;
}
