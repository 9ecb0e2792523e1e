import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { openServer } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { sealServerPassword } from "../services/security/server-passwords.ts";

const passwordBytes = 12;

/** Returns a random password of 16 characters (96 bits). */
export function newServerPassword(): string {
  return randomBytes(passwordBytes).toString("base64url");
}

/** Replaces a server's SMTP password by a random one and returns it. Rejects with `not_found`. */
export async function resetServerPassword(
  context: Pick<Context, "store" | "secrets">,
  principal: Principal,
  idText: string,
): Promise<string> {
  const { id } = await openServer(context, principal, idText);
  const password = newServerPassword();
  const sealed = sealServerPassword(context.secrets, id, password);
  if (!(await context.store.setServerPassword(id, sealed))) throw notFound("Server");
  return password;
}
