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

const bound = orNull(build.Integer({ minimum: 1 }));
const users = build.Array(build.String());

/** Rules by which a server removes messages by itself. */
export const retentionSchema: WireSchema<Retention> = schemaOf<Retention>()(
  build.Object(
    { ageSecondsMax: bound, messageCountMax: bound },
    { $id: "Retention", description: "null switches a rule off." },
  ),
);

/** Storage quota of a server. */
export const quotaSchema: WireSchema<ServerQuota> = schemaOf<ServerQuota>()(
  build.Object(
    { messages: bound, bytes: bound },
    { $id: "ServerQuota", description: "null: the default of all servers applies." },
  ),
);

/** Amount that a server holds. */
export const usageSchema: WireSchema<ServerUsage> = schemaOf<ServerUsage>()(
  build.Object(
    {
      messages: build.Integer(),
      bytes: build.Integer({ description: "Raw messages and details, before compression." }),
    },
    { $id: "ServerUsage", description: "What counts against the quota." },
  ),
);

const quotaChange = build.Optional(build.Object({ messages: build.Optional(bound), bytes: build.Optional(bound) }));

const shape = {
  id: build.String({ pattern: "^[a-z0-9]{8}$" }),
  name: build.String(),
  users,
  messages: build.Integer({ description: "How many messages it holds now." }),
  retention: refer(retentionSchema),
  quota: refer(quotaSchema),
  usage: refer(usageSchema),
  retired: build.Integer({ description: "How many messages retention has removed." }),
  createdAt: build.String({ format: "date-time" }),
  expiresAt: orNull(build.String({ format: "date-time", description: "When it deletes itself; null for never." })),
};

/** A server. */
export const serverSchema: WireSchema<WireServer> = schemaOf<WireServer>()(build.Object(shape, { $id: "Server" }));

/** A server that was just made. */
export const newServerSchema: WireSchema<WireNewServer> = schemaOf<WireNewServer>()(
  build.Object(
    {
      ...shape,
      key: build.Optional(build.String({ description: "A key for this server only, where `withKey` asked for it." })),
    },
    { $id: "NewServer" },
  ),
);

/** Answer of the password route. */
export const passwordSchema: WireSchema<WirePassword> = schemaOf<WirePassword>()(
  build.Object({ value: build.String() }, { $id: "Password" }),
);

/** Body that makes a server. `name` is required; its absence is refused by the operation, in the libraries' words. */
export const serverRequestSchema: WireSchema<ServerRequest> = schemaOf<ServerRequest>()(
  build.Object({
    name: build.Optional(build.String({ maxLength: 200, description: "Required." })),
    ttlSeconds: build.Optional(
      build.Integer({ minimum: 1, maximum: 31_536_000, description: "The server deletes itself after so long." }),
    ),
    withKey: build.Optional(build.Boolean({ description: "Make a key for this server only, too." })),
    quota: quotaChange,
  }),
);

/** Body that changes a server; `id`, `messages` and everything else is ignored. */
export const serverChangeSchema: WireSchema<ServerChange> = schemaOf<ServerChange>()(
  build.Object({
    name: build.Optional(build.String({ maxLength: 200 })),
    users: build.Optional(users),
    retention: build.Optional(
      build.Object({ ageSecondsMax: build.Optional(bound), messageCountMax: build.Optional(bound) }),
    ),
    quota: quotaChange,
  }),
);
