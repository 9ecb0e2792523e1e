import type { Server } from "../../core/server.ts";
import type { CreatedServer } from "../../operations/create-server.ts";
import type { WireNewServer, WireServer } from "./server-schema.ts";

/** A server as the wire shows it: the members that the official libraries know come first. */
export function toWireServer(server: Server): WireServer {
  const { id, name, users, messages, bytes, retention, quota, retired, createdAt, expiresAt } = server;
  return {
    id,
    name,
    users,
    messages,
    retention,
    quota,
    usage: { messages, bytes },
    retired,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

/** A server that was just made, with the key that was asked for. */
export function toWireNewServer({ server, secret }: CreatedServer): WireNewServer {
  return { ...toWireServer(server), ...(secret !== null && { key: secret }) };
}
