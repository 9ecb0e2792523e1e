import { createHash } from "node:crypto";
import type { Principal } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import type { Context } from "./context.ts";

/** A key as a request brought it, and where the request came from. */
export interface Credentials {
  readonly key: string;
  readonly clientAddress: string;
}

/**
 * Who the key speaks for. Keys are looked up by their SHA-256, so no comparison depends on how much of a guess is right.
 * Rejects with `unauthenticated`; with `too_many_requests`, without looking, after too many wrong keys from an address.
 */
export async function authenticate(
  context: Pick<Context, "store" | "wrongSecrets">,
  credentials: Credentials,
): Promise<Principal> {
  context.wrongSecrets.check(credentials.clientAddress);
  const found = await context.store.findKey(hashKey(credentials.key));
  if (found === undefined) {
    context.wrongSecrets.recordFailure(credentials.clientAddress);
    throw new Problem("unauthenticated");
  }
  return { keyId: found.id, server: found.server };
}

/** Lower-case hex SHA-256 of a key: the only form in which keys are kept. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}
