/** Schemas of API keys. Hashes are never shown; the key itself is shown once, when it is created or rotated. */
import { type ApiKey, keyScopes } from "../../core/api-key.ts";
import type { KeyRequest, NewKey, Rotation } from "../../operations/keys/keys.ts";
import { build, orNull, schemaOf, type ValueOf, type WireSchema } from "./schema.ts";
import { ipNetwork } from "./text-schemas.ts";

const scope = build.enum(keyScopes, {
  description:
    "`read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `full`: everything.",
});
const networksText = "Addresses and networks (`192.0.2.0/24`) from which alone the key is valid; empty for all.";
const networks = build.array(build.string(), { description: networksText });
const instant = (description: string): WireSchema<string | null> =>
  orNull(build.string({ format: "date-time", description }));

const shape = {
  id: build.string({ format: "uuid", description: "Id of the key in this API; not the key itself." }),
  name: build.string(),
  server: orNull(build.string({ description: "The only server that the key gives access to; null for all." })),
  createdAt: build.string({ format: "date-time" }),
  scope,
  expires: instant("When the key expires; null for never."),
  requestsPerMinute: orNull(build.integer({ description: "Largest number of requests per minute and node." })),
  networks,
  lastUsed: instant("Time of last use, at most a minute behind; null before the first use."),
  formerUntil: instant("Until when the secret from before the last rotation is valid too."),
};

/** Schema of a key. */
export const keySchema = build.object(shape, { $id: "Key" });

/** JSON of a key; instants are ISO 8601 in UTC. */
export type WireKey = ValueOf<typeof keySchema>;

/** Schema of a key that was just created or rotated. */
export const newKeySchema = build.object(
  { ...shape, key: build.string({ description: "The key itself, shown only here." }) },
  { $id: "NewKey" },
);

/** JSON of a key that was just created or rotated. */
export type WireNewKey = ValueOf<typeof newKeySchema>;

/** Request body that creates a key. */
export const keyRequestSchema: WireSchema<KeyRequest> = schemaOf<KeyRequest>()(
  build.object({
    name: build.optional(build.string({ maxLength: 200 })),
    server: build.optional(build.string({ description: "Id of the only server that the key gives access to." })),
    scope: build.optional(scope),
    expires: build.optional(build.string({ format: "date-time", description: "ISO 8601 instant in the future." })),
    requestsPerMinute: build.optional(build.integer({ minimum: 1, maximum: 1_000_000 })),
    networks: build.optional(build.array(ipNetwork(), { maxItems: 100, description: networksText })),
  }),
);

/** Request body that rotates a key. */
export const rotationSchema: WireSchema<Rotation> = schemaOf<Rotation>()(
  build.object({
    graceSeconds: build.optional(
      build.integer({
        minimum: 0,
        maximum: 2_592_000,
        description: "Seconds for which the current secret stays valid; a day when absent, 0 revokes it at once.",
      }),
    ),
  }),
);

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
