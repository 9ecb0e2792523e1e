/** Access control: objects that a principal may not access do not exist for it. */
import type { KeyScope, Principal } from "../../../core/api-key.ts";
import { notFound, type NotFoundKind, Problem } from "../../../core/errors.ts";
import { decodeMessageId, parseAttachmentId, parseMessageId, parseServerId } from "../../../core/ids.ts";
import type { AttachmentId, MessageId, ServerId } from "../../../core/ids.ts";
import type { Server } from "../../../core/server.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import type { AccountContext, Context } from "../../context.ts";

/** Returns the server if the principal can access it; else rejects with `not_found`, also for malformed ids. */
export async function openServer(context: AccountContext, principal: Principal, idText: string): Promise<Server> {
  const id = parseServerId(idText);
  const server = id !== undefined && maySee(principal, id) ? await context.store.getServer(id) : undefined;
  if (server === undefined) throw notFound("Server");
  return server;
}

/** Returns the message id if the principal can access its server; else throws `not_found`, also for malformed ids. */
export function openMessageId(principal: Principal, idText: string): MessageId {
  const id = parseMessageId(idText);
  if (id === undefined || !maySee(principal, decodeMessageId(id).server)) throw notFound("Message");
  return id;
}

/** Returns the attachment id if the principal can access its server; else throws `not_found`, also for malformed ids. */
export function openAttachmentId(principal: Principal, idText: string): AttachmentId {
  const id = parseAttachmentId(idText);
  if (id === undefined || !maySee(principal, decodeMessageId(id).server)) throw notFound("Attachment");
  return id;
}

/** Throws `forbidden` unless the principal holds an account key. */
export function requireAccount(principal: Principal): void {
  if (principal.server !== null) throw new Problem("forbidden");
}

/** Returns whether the principal can access the server. */
function maySee(principal: Principal, server: ServerId): boolean {
  return principal.server === null || principal.server === server;
}

/** Returns the object; throws `not_found` with its kind when it is undefined. */
export function orNotFound<Thing>(thing: Thing | undefined, kind: NotFoundKind): Thing {
  if (thing === undefined) throw notFound(kind);
  return thing;
}

/**
 * Access that a request requires of its key.
 * - `read`: to list, search, wait, fetch.
 * - `send`: to create, send, reply, forward.
 * - `manage`: to change or delete anything, or to see a password.
 * - `any`: any valid key.
 */
export type Need = "read" | "send" | "manage" | "any";

const allowed: Readonly<Record<KeyScope, ReadonlySet<Need>>> = {
  full: new Set(["read", "send", "manage", "any"]),
  read: new Set(["read", "any"]),
  send: new Set(["send", "any"]),
};

/** Throws `forbidden` unless the principal's scope covers the required access, before any object is looked up. */
export function requireScope({ scope = "full" }: Principal, need: Need): void {
  if (allowed[scope].has(need)) return;
  throw new Problem("forbidden", {
    text: scope === "read" ? "This key may only read" : "This key may only create and send messages",
  });
}

/** Returns the worker caller of an operation. */
export function callerOf({ keyId: key }: Principal, { gone }: Pick<Context, "gone">): WorkerCaller {
  return gone === undefined ? { key } : { key, signal: gone };
}
