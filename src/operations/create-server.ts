import { randomBytes } from "node:crypto";
import type { Principal } from "../core/api-key.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { newServerId, type ServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import { requireAccount } from "./access.ts";
import type { Context } from "./context.ts";

/** What the caller chooses of a new server. */
export interface ServerRequest {
  /** Required in spirit: absent or blank is refused with the text that the official libraries know. */
  readonly name?: string;
}

/** Makes an empty server with a fresh id and password. Rejects with `forbidden` or a 400 on `name`. */
export async function createServer(
  context: Pick<Context, "store" | "clock">,
  principal: Principal,
  request: ServerRequest,
): Promise<Server> {
  requireAccount(principal);
  const name = checkServerName(request.name);
  for (;;) {
    try {
      return await addServer(context, newServerId(), name);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "conflict") throw error;
    }
  }
}

/** Makes the server with this id; for the operator's own servers. Rejects with `conflict` when the id is taken. */
export async function addServer(
  context: Pick<Context, "store" | "clock">,
  id: ServerId,
  name: string,
): Promise<Server> {
  const password = randomBytes(12).toString("base64url");
  return context.store.createServer({ id, name, password, createdAt: context.clock.now(), expiresAt: null });
}

/** The name as it will be kept: well-formed, trimmed at no end, 1…200 characters. Throws a 400 on `name`. */
export function checkServerName(name: string | undefined): string {
  if (name === undefined || name.trim() === "") throw invalidField("name", "Servers need a name", "required");
  if (name.length > 200) throw invalidField("name", "Names have at most 200 characters", "too_long");
  return name.toWellFormed();
}
