/** Access control: objects that a principal may not access do not exist for it. */
import type { Access, Need, PlainPrincipal, Principal } from "../../../core/api-key.ts";
import type { AuditActor, AuditActorKind } from "../../../core/audit-entry.ts";
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

/** Throws `forbidden` unless the principal may do everything: an account key, or an owner of the account. */
export function requireAccount(principal: Principal): void {
  if (principal.server !== null) throw new Problem("forbidden");
}

/** Throws `forbidden` unless the principal manages the team, or may do everything. */
export function requireManager({ server }: Principal, team: string | null): void {
  if (server === null) return;
  if (typeof server === "string" || team === null || !server.managed.has(team)) throw new Problem("forbidden");
}

/** Throws `forbidden` unless the principal manages a team, or may do everything. */
export function requireAnyManager({ server }: Principal): void {
  const isManager = server === null || (typeof server !== "string" && server.managed.size > 0);
  if (!isManager) throw new Problem("forbidden");
}

/** Returns whether the principal can access the server. Throws `forbidden` where its role does not cover the request. */
export function maySee({ server: own }: Principal, server: ServerId): boolean {
  if (own === null || typeof own === "string") return own === null || own === server;
  const access = own.servers.get(server);
  if (access !== undefined) requireScope({ scope: access }, own.need);
  return access !== undefined;
}

/** Returns the only server of a principal; null for one with several, or with all of the account. */
export function onlyServer({ server }: Principal): ServerId | null {
  return typeof server === "string" ? server : null;
}

/** Returns the servers of a principal that is restricted to some; null for all of the account. */
export function serversOf({ server }: Pick<Principal, "server">): readonly ServerId[] | null {
  if (server === null) return null;
  return typeof server === "string" ? [server] : [...server.servers.keys()];
}

/** Returns the principal with access to one server alone; undefined when it has none. */
export function narrowTo(principal: Principal, server: ServerId): PlainPrincipal | undefined {
  const { server: own } = principal;
  if (own === null || own === server) return { ...principal, server };
  if (typeof own === "string") return undefined;
  const scope = own.servers.get(server);
  return scope && { ...principal, server, scope };
}

/** Returns the object; throws `not_found` with its kind when it is undefined. */
export function orNotFound<Thing>(thing: Thing | undefined, kind: NotFoundKind): Thing {
  if (thing === undefined) throw notFound(kind);
  return thing;
}

const allowed: Readonly<Record<Access, ReadonlySet<Need>>> = {
  full: new Set(["read", "send", "manage", "settings", "scim", "any"]),
  test: new Set(["read", "send", "manage", "any"]),
  read: new Set(["read", "any"]),
  send: new Set(["send", "any"]),
  scim: new Set(["scim"]),
};

const refusals: Readonly<Record<Access, string>> = {
  full: "Not allowed",
  test: "The role of a tester does not include settings of servers",
  read: "This key may only read",
  send: "This key may only create and send messages",
  scim: "This key may only provision users and groups by SCIM",
};

/** Returns whether a scope covers the required access. */
export function covers(scope: Access, need: Need): boolean {
  return allowed[scope].has(need);
}

/** Returns the access that both include; undefined for none. */
export function commonAccess(one: Access, other: Access): Access | undefined {
  if (isWithin(one, other)) return one;
  return isWithin(other, one) ? other : undefined;
}

/** Returns whether an access includes no more than another. */
export function isWithin(access: Access, other: Access): boolean {
  return allowed[access].isSubsetOf(allowed[other]);
}

/** Throws `forbidden` unless the principal's scope covers the required access, before any object is looked up. */
export function requireScope({ scope = "full" }: Pick<Principal, "scope">, need: Need): void {
  if (!covers(scope, need)) throw new Problem("forbidden", { text: refusals[scope] });
}

/**
 * Returns the principal of a request with a need. Throws `forbidden` unless its scope covers the need and, for teams, the
 * access to one of their servers. Operations of `account` routes check the rights of members of teams themselves.
 */
export function admit(
  principal: Principal,
  { need, access }: { readonly need: Need; readonly access: "key" | "account" },
): Principal {
  requireScope(principal, need);
  const { server } = principal;
  if (server === null || typeof server === "string") return principal;
  const isChecked = access === "account";
  const isRead = need === "read" || need === "any";
  if (!isChecked && !isRead && ![...server.servers.values()].some((one) => covers(one, need))) {
    throw new Problem("forbidden", { text: "Your role does not include this" });
  }
  return { ...principal, server: { ...server, need: isChecked ? "any" : need } };
}

/** Returns the actor of audit entries: the key, and the person on whose behalf it acts. */
export function actorOf(
  { keyId, keyName, user }: Principal,
  by: AuditActorKind,
  clientAddress: string | null,
): AuditActor {
  const key = user !== undefined && keyId === userKeyId(user.id) ? null : keyId;
  return { by, key, name: keyName ?? null, clientAddress, ...(user && { user: user.id, email: user.email }) };
}

/** Returns the `keyId` of a user that has signed in. */
export function userKeyId(user: string): string {
  return `user:${user}`;
}

/** Returns the worker caller of an operation. */
export function callerOf({ keyId: key }: Principal, { gone }: Pick<Context, "gone">): WorkerCaller {
  return gone === undefined ? { key } : { key, signal: gone };
}
