/** Keys as the wire shows them: never their hash, and the key itself once, in the answer to its making. */
import type { ApiKey } from "../../core/api-key.ts";
import type { KeyRequest } from "../../operations/create-key.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

/** A key on the wire. */
export interface WireKey extends Omit<ApiKey, "hash" | "createdAt"> {
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** A key that was just made. */
export interface WireNewKey extends WireKey {
  /** The key itself; shown now and never again. */
  readonly key: string;
}

const shape = {
  id: build.String({ format: "uuid", description: "Names the key in this interface; it is not the key." }),
  name: build.String(),
  server: orNull(build.String({ description: "The only server that the key opens; null for all." })),
  createdAt: build.String({ format: "date-time" }),
};

/** A key. */
export const keySchema: WireSchema<WireKey> = schemaOf<WireKey>()(build.Object(shape, { $id: "Key" }));

/** A key that was just made. */
export const newKeySchema: WireSchema<WireNewKey> = schemaOf<WireNewKey>()(
  build.Object({ ...shape, key: build.String({ description: "The key itself, shown only here." }) }, { $id: "NewKey" }),
);

/** Body that makes a key. */
export const keyRequestSchema: WireSchema<KeyRequest> = schemaOf<KeyRequest>()(
  build.Object({
    name: build.Optional(build.String({ maxLength: 200 })),
    server: build.Optional(build.String({ description: "Restricts the key to this server." })),
  }),
);
