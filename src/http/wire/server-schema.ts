/** Servers as the wire shows them, and what callers may say of them. */
import type { ServerQuota, ServerUsage } from "../../core/server-quota.ts";
import type { Retention, Server, ServerChange } from "../../core/server.ts";
import type { ServerRequest } from "../../operations/create-server.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

/** A server on the wire. The first four members are the ones that the official libraries know. */
export interface WireServer extends Omit<Server, "bytes" | "createdAt" | "expiresAt"> {
  readonly usage: ServerUsage;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** ISO 8601 in UTC; null for never. */
  readonly expiresAt: string | null;
}

/** A server that was just made. */
export interface WireNewServer extends WireServer {
  /** A key that opens this server only, where one was asked for; shown now and never again. */
  readonly key?: string;
}

/** The password of a server's mail access. */
export interface WirePassword {
  readonly value: string;
}

const bound = orNull(build.integer({ minimum: 1 }));
const users = build.array(build.string());

/** Rules by which a server removes messages by itself. */
export const retentionSchema: WireSchema<Retention> = schemaOf<Retention>()(
  build.object(
    { ageSecondsMax: bound, messageCountMax: bound },
    { $id: "Retention", description: "null switches a rule off." },
  ),
);

/** Storage quota of a server. */
export const quotaSchema: WireSchema<ServerQuota> = schemaOf<ServerQuota>()(
  build.object(
    { messages: bound, bytes: bound },
    { $id: "ServerQuota", description: "null: the default of all servers applies." },
  ),
);

/** Amount that a server holds. */
export const usageSchema: WireSchema<ServerUsage> = schemaOf<ServerUsage>()(
  build.object(
    {
      messages: build.integer(),
      bytes: build.integer({ description: "Raw messages and details, before compression." }),
    },
    { $id: "ServerUsage", description: "What counts against the quota." },
  ),
);

const quotaChange = build.optional(build.object({ messages: build.optional(bound), bytes: build.optional(bound) }));

const shape = {
  id: build.string({ pattern: "^[a-z0-9]{8}$" }),
  name: build.string(),
  users,
  messages: build.integer({ description: "How many messages it holds now." }),
  retention: refer(retentionSchema),
  quota: refer(quotaSchema),
  usage: refer(usageSchema),
  retired: build.integer({ description: "How many messages retention has removed." }),
  createdAt: build.string({ format: "date-time" }),
  expiresAt: orNull(build.string({ format: "date-time", description: "When it deletes itself; null for never." })),
};

/** A server. */
export const serverSchema: WireSchema<WireServer> = schemaOf<WireServer>()(build.object(shape, { $id: "Server" }));

/** A server that was just made. */
export const newServerSchema: WireSchema<WireNewServer> = schemaOf<WireNewServer>()(
  build.object(
    {
      ...shape,
      key: build.optional(build.string({ description: "A key for this server only, where `withKey` asked for it." })),
    },
    { $id: "NewServer" },
  ),
);

/** Answer of the password route. */
export const passwordSchema: WireSchema<WirePassword> = schemaOf<WirePassword>()(
  build.object({ value: build.string() }, { $id: "Password" }),
);

/** Body that makes a server. `name` is required; its absence is refused by the operation, in the libraries' words. */
export const serverRequestSchema: WireSchema<ServerRequest> = schemaOf<ServerRequest>()(
  build.object({
    name: build.optional(build.string({ maxLength: 200, description: "Required." })),
    ttlSeconds: build.optional(
      build.integer({ minimum: 1, maximum: 31_536_000, description: "The server deletes itself after so long." }),
    ),
    withKey: build.optional(build.boolean({ description: "Make a key for this server only, too." })),
    quota: quotaChange,
  }),
);

/** Body that changes a server; `id`, `messages` and everything else is ignored. */
export const serverChangeSchema: WireSchema<ServerChange> = schemaOf<ServerChange>()(
  build.object({
    name: build.optional(build.string({ maxLength: 200 })),
    users: build.optional(users),
    retention: build.optional(
      build.object({ ageSecondsMax: build.optional(bound), messageCountMax: build.optional(bound) }),
    ),
    quota: quotaChange,
  }),
);
