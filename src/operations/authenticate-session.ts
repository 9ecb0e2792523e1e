import { createHash, timingSafeEqual } from "node:crypto";
import { parseServerId, type ServerId } from "../core/ids.ts";
import type { Context } from "./context.ts";

/** What SMTP AUTH said. */
export interface SessionCredentials {
  /** `<serverId>`, or `<serverId>@<any domain>`. */
  readonly user: string;
  readonly password: string;
  readonly clientAddress: string;
}

/**
 * The server that the credentials open, or undefined when they are wrong. Compared in constant time. Rejects with
 * `too_many_requests`, without looking, after too many wrong secrets from an address.
 */
export async function authenticateSession(
  context: Pick<Context, "store" | "wrongSecrets">,
  credentials: SessionCredentials,
): Promise<ServerId | undefined> {
  context.wrongSecrets.check(credentials.clientAddress);
  const id = parseServerId(credentials.user.split("@", 1)[0] ?? "");
  const password = id === undefined ? undefined : await context.store.getServerPassword(id);
  if (password !== undefined && isSame(password, credentials.password)) return id;
  context.wrongSecrets.recordFailure(credentials.clientAddress);
  return undefined;
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(one), digest(other));
}
