import type { ApiKey } from "../../core/api-key.ts";
import type { NewKey } from "../../operations/create-key.ts";
import type { WireKey, WireNewKey } from "./key-schema.ts";

/** A key as the wire shows it: without its hash. */
export function toWireKey(key: ApiKey): WireKey {
  const { id, name, server, createdAt } = key;
  return { id, name, server, createdAt: new Date(createdAt).toISOString() };
}

/** A key that was just made, with the secret that is never shown again. */
export function toWireNewKey(made: NewKey): WireNewKey {
  return { ...toWireKey(made.key), key: made.secret };
}
