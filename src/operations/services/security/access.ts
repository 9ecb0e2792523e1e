/** The one gate between a principal and what it asks for: whatever is foreign does not exist. */
import type { Principal } from "../../../core/api-key.ts";
import { notFound, Problem, type NotFoundKind } from "../../../core/errors.ts";
import {
  decodeMessageId,
  parseAttachmentId,
  parseMessageId,
  parseServerId,
  type AttachmentId,
  type MessageId,
  type ServerId,
} from "../../../core/ids.ts";
import type { Server } from "../../../core/server.ts";
import type { Context } from "../../context.ts";

/** The server, if it exists for this principal; else rejects with `not_found`, malformed ids included. */
export async function openServer(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<Server> {
  const id = parseServerId(idText);
  const server = id !== undefined && maySee(principal, id) ? await context.store.getServer(id) : undefined;
  if (server === undefined) throw notFound("Server");
  return server;
}

/** The message id, if the principal may ask for it; else throws `not_found`, malformed ids included. */
export function openMessageId(principal: Principal, idText: string): MessageId {
  const id = parseMessageId(idText);
  if (id === undefined || !maySee(principal, decodeMessageId(id).server)) throw notFound("Message");
  return id;
}

/** The attachment id, if the principal may ask for it; else throws `not_found`, malformed ids included. */
export function openAttachmentId(principal: Principal, idText: string): AttachmentId {
  const id = parseAttachmentId(idText);
  if (id === undefined || !maySee(principal, decodeMessageId(id).server)) throw notFound("Attachment");
  return id;
}

/** Throws `forbidden` unless the principal holds an account key. */
export function requireAccount(principal: Principal): void {
  if (principal.server !== null) throw new Problem("forbidden");
}

/** Whether the server can exist for this principal. */
function maySee(principal: Principal, server: ServerId): boolean {
  return principal.server === null || principal.server === server;
}

/** Returns the thing; throws `not_found`, naming its kind, when it is undefined. */
export function orNotFound<Thing>(thing: Thing | undefined, kind: NotFoundKind): Thing {
  if (thing === undefined) throw notFound(kind);
  return thing;
}
