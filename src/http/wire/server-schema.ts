/** Schemas of servers. */
import { quotaSchema, readerDeletions, retentionSchema, usageSchema } from "../../core/server.ts";
import type { Server, ServerChange } from "../../core/server.ts";
import type { CreatedServer, ServerRequest } from "../../operations/servers/servers.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import type { UsageTransaction } from "../../operations/account/account.ts";

const count = build.integer({ minimum: 0, maximum: 2_147_483_647 });

/** Schema of the usage of a day. */
export const transactionSchema = build.object(
  { timestamp: build.string({ format: "date-time" }), email: count, sms: count },
  { $id: "UsageTransaction" },
);

/** JSON of the usage of a day. */
export type WireTransaction = ValueOf<typeof transactionSchema>;

/** Returns the usage of a day in its JSON form. */
export function toWireTransaction({ timestamp, email, sms }: UsageTransaction): WireTransaction {
  return { timestamp: new Date(timestamp).toISOString(), email, sms };
}

const bound = orNull(build.integer({ minimum: 1 }));
const users = build.array(build.string());

const readerDeletion = build.enum(
  readerDeletions,
  "Effect of deletions by POP3 and IMAP: `delete` deletes the message from the server, `hide` hides it from the credentials of the reader only, `refuse` answers the command with an error.",
);
const team = orNull(build.string("Id of the team that owns the server; null for none."));
const isProtected = build.boolean("Whether the server stays although the rule for idle servers would remove it.");
const quotaChange = build.partial({ messages: bound, bytes: bound });

const shape = {
  id: build.string({ pattern: "^[a-z0-9]{8}$" }),
  name: build.string(),
  users,
  messages: build.integer("Number of messages in the server."),
  retention: refer(retentionSchema),
  quota: refer(quotaSchema),
  usage: refer(usageSchema),
  readerDeletion,
  team,
  retired: build.integer("Number of messages that retention has deleted."),
  createdAt: build.string({ format: "date-time" }),
  expiresAt: orNull(
    build.string({ format: "date-time", description: "When the server is deleted automatically; null for never." }),
  ),
  isProtected,
};

/** Schema of a server. */
export const serverSchema = build.object(shape, { $id: "Server" });

/** JSON of a server. The official libraries know the first four members. */
export type WireServer = ValueOf<typeof serverSchema>;

/** Schema of a server that was just created. */
export const newServerSchema = build.object(
  {
    ...shape,
    key: build.optional(build.string("A key of this server alone, if `withKey` requested it.")),
  },
  { $id: "NewServer" },
);

/** JSON of a server that was just created. */
export type WireNewServer = ValueOf<typeof newServerSchema>;

/** Schema of responses with a server's SMTP password. */
export const passwordSchema = build.object({ value: build.string() }, { $id: "Password" });

/** JSON of a server's SMTP password. */
export type WirePassword = ValueOf<typeof passwordSchema>;

/**
 * Request body that creates a server. `name` is required; the operation rejects its absence with the text that the
 * official libraries know.
 */
export const serverRequestSchema: WireSchema<ServerRequest> = schemaOf<ServerRequest>()(
  build.partial({
    name: build.string({ pattern: "\\S", maxLength: 200, description: "Required." }),
    ttlSeconds: build.integer({
      minimum: 1,
      maximum: 31_536_000,
      description: "Seconds after which the server is deleted automatically.",
    }),
    withKey: build.boolean("Whether to create a key of this server alone."),
    quota: quotaChange,
    readerDeletion,
    team,
  }),
);

/** Request body that changes a server; `id`, `messages` and other members are ignored. */
export const serverChangeSchema: WireSchema<ServerChange> = schemaOf<ServerChange>()(
  build.partial({
    name: build.string({ pattern: "\\S", maxLength: 200 }),
    users,
    retention: build.partial({ ageSecondsMax: bound, messageCountMax: bound }),
    quota: quotaChange,
    readerDeletion,
    team,
    isProtected,
  }),
);

/** Returns a server in its JSON form: the members that the official libraries know come first. */
export function toWireServer(server: Server): WireServer {
  const { id, name, users, messages, bytes, retention, quota, createdAt, expiresAt } = server;
  const { readerDeletion, team, retired, isProtected } = server;
  return {
    id,
    name,
    users,
    messages,
    retention,
    quota,
    usage: { messages, bytes },
    readerDeletion,
    team,
    retired,
    isProtected,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

/** Returns a server that was just created, with its key if one was requested. */
export function toWireNewServer({ server, secret }: CreatedServer): WireNewServer {
  return { ...toWireServer(server), ...(secret !== null && { key: secret }) };
}
