import { hash } from "node:crypto";
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
 * Rejects with `unauthenticated`; with `too_many_requests`, without looking, after too many wrong keys from an address,
 * unless the key was right for that address before.
 */
export async function authenticate(
  context: Pick<Context, "store" | "wrongSecrets">,
  credentials: Credentials,
): Promise<Principal> {
  const { wrongSecrets } = context;
  const { clientAddress } = credentials;
  const keyHash = hashKey(credentials.key);
  const isKnown = wrongSecrets.hasSucceeded(clientAddress, keyHash);
  if (!isKnown) wrongSecrets.check(clientAddress);
  const found = await context.store.findKey(keyHash);
  if (found === undefined) {
    wrongSecrets.recordFailure(clientAddress);
    throw new Problem("unauthenticated");
  }
  if (!isKnown) wrongSecrets.recordSuccess(clientAddress, keyHash);
  return { keyId: found.id, server: found.server };
}

/** Lower-case hex SHA-256 of a key: the only form in which keys are kept. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}
