import type { ApiKey } from "../../core/api-key.ts";
import type { NewKey } from "../../operations/keys/create-key.ts";
import type { WireKey, WireNewKey } from "./key-schema.ts";

/** Returns a key in its JSON form, without its hashes. */
export function toWireKey(key: ApiKey): WireKey {
  const { id, name, server, createdAt, scope, expiresAt, requestsPerMinute, networks, lastUsedAt, former } = key;
  return {
    id,
    name,
    server,
    createdAt: new Date(createdAt).toISOString(),
    scope,
    expires: instantOf(expiresAt),
    requestsPerMinute,
    networks,
    lastUsed: instantOf(lastUsedAt),
    formerUntil: instantOf(former?.until ?? null),
  };
}

/** Returns a new or rotated key with its secret, which is never shown again. */
export function toWireNewKey(created: NewKey): WireNewKey {
  return { ...toWireKey(created.key), key: created.secret };
}

function instantOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
