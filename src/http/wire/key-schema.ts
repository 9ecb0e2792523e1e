/** Keys as the wire shows them: never their hash, and the key itself once, in the answer to its making or rotation. */
import { keyScopes, type ApiKey } from "../../core/api-key.ts";
import type { KeyRequest } from "../../operations/create-key.ts";
import type { Rotation } from "../../operations/rotate-key.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

/** A key on the wire; instants are ISO 8601 in UTC. */
export interface WireKey extends Pick<ApiKey, "id" | "name" | "server" | "scope" | "requestsPerMinute" | "networks"> {
  readonly createdAt: string;
  readonly expires: string | null;
  readonly lastUsed: string | null;
  /** Until when the secret from before the last rotation opens too. */
  readonly formerUntil: string | null;
}

/** A key that was just made or rotated. */
export interface WireNewKey extends WireKey {
  /** The key itself; shown now and never again. */
  readonly key: string;
}

const scope = build.enum(keyScopes, {
  description:
    "`read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `full`: everything.",
});
const networks = build.array(build.string(), {
  description: "Addresses and networks (`192.0.2.0/24`) from which alone the key opens anything; empty for all.",
});
const instant = (description: string): WireSchema<string | null> =>
  orNull(build.string({ format: "date-time", description }));

const shape = {
  id: build.string({ format: "uuid", description: "Names the key in this interface; it is not the key." }),
  name: build.string(),
  server: orNull(build.string({ description: "The only server that the key opens; null for all." })),
  createdAt: build.string({ format: "date-time" }),
  scope,
  expires: instant("From then on the key opens nothing; null for never."),
  requestsPerMinute: orNull(build.integer({ description: "Requests that a node answers within a minute." })),
  networks,
  lastUsed: instant("At most a minute behind; null before the first use."),
  formerUntil: instant("Until then the secret from before the last rotation opens too."),
};

/** A key. */
export const keySchema: WireSchema<WireKey> = schemaOf<WireKey>()(build.object(shape, { $id: "Key" }));

/** A key that was just made. */
export const newKeySchema: WireSchema<WireNewKey> = schemaOf<WireNewKey>()(
  build.object({ ...shape, key: build.string({ description: "The key itself, shown only here." }) }, { $id: "NewKey" }),
);

/** Body that makes a key. */
export const keyRequestSchema: WireSchema<KeyRequest> = schemaOf<KeyRequest>()(
  build.object({
    name: build.optional(build.string({ maxLength: 200 })),
    server: build.optional(build.string({ description: "Restricts the key to this server." })),
    scope: build.optional(scope),
    expires: build.optional(build.string({ description: "ISO 8601 instant in the future." })),
    requestsPerMinute: build.optional(build.integer({ minimum: 1, maximum: 1_000_000 })),
    networks: build.optional(networks),
  }),
);

/** Body that rotates a key. */
export const rotationSchema: WireSchema<Rotation> = schemaOf<Rotation>()(
  build.object({
    graceSeconds: build.optional(
      build.integer({
        minimum: 0,
        maximum: 2_592_000,
        description: "Seconds for which the present secret goes on opening; a day when absent, 0 ends it at once.",
      }),
    ),
  }),
);
