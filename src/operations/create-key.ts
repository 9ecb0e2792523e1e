import { randomBytes, randomUUID } from "node:crypto";
import type { ApiKey, Principal } from "../core/api-key.ts";
import { invalidField } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import { openServer, requireAccount } from "./access.ts";
import { hashKey } from "./authenticate.ts";
import type { Context } from "./context.ts";

/** What the caller chooses of a new key. `server` absent makes an account key. */
export interface KeyRequest {
  readonly name?: string;
  readonly server?: string;
}

/** A fresh key: the only moment at which `secret` can be seen. */
export interface NewKey {
  readonly secret: string;
  readonly key: ApiKey;
}

/** Makes a key. Rejects with `forbidden`, with `not_found` for an unknown server, with a 400 on `name`. */
export async function createKey(
  context: Pick<Context, "store" | "clock">,
  principal: Principal,
  request: KeyRequest,
): Promise<NewKey> {
  requireAccount(principal);
  const name = request.name ?? "";
  if (name.length > 200) throw invalidField("name", "Names have at most 200 characters", "too_long");
  const server = request.server === undefined ? null : (await openServer(context, principal, request.server)).id;
  return addKey(context, { secret: newSecret(), name: name.toWellFormed(), server });
}

/** Stores a key of the operator's own choice; rejects with `conflict` when it is already known. */
export async function addKey(
  context: Pick<Context, "store" | "clock">,
  own: { secret: string; name: string; server: ServerId | null },
): Promise<NewKey> {
  const key: ApiKey = {
    id: randomUUID(),
    name: own.name,
    hash: hashKey(own.secret),
    server: own.server,
    createdAt: context.clock.now(),
  };
  await context.store.addKey(key);
  return { secret: own.secret, key };
}

/** A key that no one can guess: 32 characters of base64url, 192 bits. */
export function newSecret(): string {
  return randomBytes(24).toString("base64url");
}
