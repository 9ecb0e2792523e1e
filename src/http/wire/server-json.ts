import type { Server } from "../../core/server.ts";
import type { CreatedServer } from "../../operations/servers/create-server.ts";
import type { WireNewServer, WireServer } from "./server-schema.ts";

/** Returns a server in its JSON form: the members that the official libraries know come first. */
export function toWireServer(server: Server): WireServer {
  const { id, name, users, messages, bytes, retention, quota, readerDeletion, retired, createdAt, expiresAt } = server;
  return {
    id,
    name,
    users,
    messages,
    retention,
    quota,
    usage: { messages, bytes },
    readerDeletion,
    retired,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

/** Returns a server that was just created, with its key if one was requested. */
export function toWireNewServer({ server, secret }: CreatedServer): WireNewServer {
  return { ...toWireServer(server), ...(secret !== null && { key: secret }) };
}
