import type { Principal } from "../../core/api-key.ts";
import type { Server } from "../../core/server.ts";
import { openServer, orNotFound } from "../services/security/access.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { openServerPassword } from "../services/security/server-passwords.ts";

/** Returns one server. Rejects with `not_found`. */
export async function getServer(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<Server> {
  return openServer(context, principal, idText);
}

/**
 * Returns the SMTP password of a server. Rejects with `not_found`, and with `conflict` when
 * it was sealed with another secret key.
 */
export async function getServerPassword(
  context: Pick<Context, "store" | "secrets">,
  principal: Principal,
  idText: string,
): Promise<string> {
  const server = await openServer(context, principal, idText);
  const stored = orNotFound(await context.store.getServerPassword(server.id), "Server");
  const password = openServerPassword(context.secrets, server.id, stored);
  if (password === undefined) {
    const text = "This password was sealed with another secret key; restore that key, or reset the password";
    throw new Problem("conflict", { text });
  }
  return password;
}
