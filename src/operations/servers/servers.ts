import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { checkAll } from "../../core/field-collector.ts";
import { newServerId } from "../../core/ids.ts";
import { int32Max } from "../../core/limits.ts";
import { noQuota, type ReaderDeletion, type Server, type ServerChange, type ServerQuota } from "../../core/server.ts";
import type { AccountContext, Context } from "../context.ts";
import { addKey, newSecret } from "../keys/keys.ts";
import { getScanner } from "../scanner/scanner-settings.ts";
import type { ShownScanner } from "../../core/scanner.ts";
import { openServer, orNotFound, requireAccount, requireManager, serversOf } from "../services/security/access.ts";
import { openServerPassword, sealServerPassword } from "../services/security/stored-secrets.ts";
import { type DnsZone, getDnsZone } from "./dns-zone.ts";

const passwordBytes = 12;

/** Returns a random password of 16 characters (96 bits). */
export function newServerPassword(): string {
  return randomBytes(passwordBytes).toString("base64url");
}

/** Replaces a server's SMTP password by a random one and returns it. Rejects with `not_found`. */
export async function resetServerPassword(context: Context, principal: Principal, idText: string): Promise<string> {
  const { id } = await openServer(context, principal, idText);
  const password = newServerPassword();
  const sealed = sealServerPassword(context.secrets, id, password);
  if (!(await context.store.setServerPassword(id, sealed))) throw notFound("Server");
  return password;
}

/** Fields of a new server. */
export interface ServerRequest {
  /** Required; optional in the type, so that a missing name is rejected with the text that the official libraries expect. */
  readonly name?: string;
  /** Seconds after which the server is deleted with its messages, 1…31,536,000; absent for never. */
  readonly ttlSeconds?: number;
  /** Whether a key restricted to the server is created too. */
  readonly withKey?: boolean;
  /** Storage quota of the server; the default of all servers applies where a member is absent or null. */
  readonly quota?: Partial<ServerQuota>;
  /** Effect of deletions by POP3 and IMAP; that of `defaultReaderDeletion` when absent. */
  readonly readerDeletion?: ReaderDeletion;
  /** Team that owns the server; managers of a team create servers of their teams only. */
  readonly team?: string | null;
}

/** New server and, if requested, its key, whose secret is returned only once. */
export interface CreatedServer {
  readonly server: Server;
  readonly secret: string | null;
}

const ttlSecondsMax = 365 * 24 * 3600;

/**
 * Creates an empty server with a random id and password. Rejects with `forbidden`, with `limit_reached`, or with a 400
 * that names every wrong field.
 */
export async function createServer(
  context: Context,
  principal: Principal,
  request: ServerRequest,
): Promise<CreatedServer> {
  const { quota = {}, readerDeletion, team = null } = request;
  requireManager(principal, team);
  checkServerRequest(request);
  requireQuotaRight(principal, noQuota, quota);
  const name = checkServerName(request.name);
  const expiresAt = request.ttlSeconds === undefined ? null : context.clock.now() + request.ttlSeconds * 1000;
  await checkServerCount(context);
  const server = await addWithRandomId(context, {
    name,
    expiresAt,
    quota,
    team,
    ...(readerDeletion !== undefined && { readerDeletion }),
  });
  if (request.withKey !== true) return { server, secret: null };
  const { secret } = await addKey(context, {
    secret: newSecret(),
    name,
    server: server.id,
    owner: team === null ? null : { kind: "team", id: team },
  });
  return { server, secret };
}

/** Throws a 400 that names every wrong field. */
export function checkServerRequest({ name, ttlSeconds, quota = {} }: ServerRequest): void {
  checkAll(
    () => checkServerName(name),
    () => checkTtl(ttlSeconds),
    () => checkBound("quota.messages", quota.messages),
    () => checkBound("quota.bytes", quota.bytes),
  );
}

async function checkServerCount({ store, limits }: Context): Promise<void> {
  if (limits.serverCountMax === int32Max) return;
  if ((await store.listServers()).length < limits.serverCountMax) return;
  throw new Problem("limit_reached", {
    text: `The limit of ${limits.serverCountMax} servers is reached; delete a server first`,
  });
}

async function addWithRandomId(context: Context, wanted: Omit<RequestedServer, "id">): Promise<Server> {
  for (;;) {
    try {
      return await addServer(context, { ...wanted, id: newServerId() });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "conflict") throw error;
    }
  }
}

/** Server to create. */
type RequestedServer = Pick<Server, "id" | "name" | "expiresAt"> &
  Pick<ServerRequest, "quota" | "readerDeletion" | "team">;

/** Creates the server with this id. Rejects with `conflict` when the id is taken. */
export async function addServer(context: AccountContext, wanted: RequestedServer): Promise<Server> {
  const password = sealServerPassword(context.secrets, wanted.id, newServerPassword());
  return context.store.createServer({ ...wanted, password, createdAt: context.clock.now() });
}

/** Throws a 400 on `field` when the value is not undefined, null or an integer of at least 1. */
function checkBound(field: string, value: number | null | undefined): void {
  if (value === undefined || value === null) return;
  if (!Number.isSafeInteger(value) || value < 1) throw invalidField(field, "A whole number of at least 1, or null");
}

/** Returns the name to store: well-formed, not trimmed, 1…200 characters. Throws a 400 on `name`. */
function checkServerName(name: string | undefined): string {
  if (name === undefined || name.trim() === "") throw invalidField("name", "Servers need a name", "required");
  if (name.length > 200) throw invalidField("name", "Names have at most 200 characters", "too_long");
  return name.toWellFormed();
}

function checkTtl(ttlSeconds: number | undefined): void {
  if (ttlSeconds === undefined) return;
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > ttlSecondsMax) {
    throw invalidField("ttlSeconds", `A whole number of seconds from 1 to ${String(ttlSecondsMax)}`);
  }
}

/**
 * Returns the SMTP password of a server. Rejects with `not_found`, and with `conflict` when
 * it was sealed with another secret key.
 */
export async function getServerPassword(context: Context, principal: Principal, idText: string): Promise<string> {
  const server = await openServer(context, principal, idText);
  const stored = orNotFound(await context.store.getServerPassword(server.id), "Server");
  const password = openServerPassword(context.secrets, server.id, stored);
  if (password === undefined) {
    const text = "This password was sealed with another secret key; restore that key, or reset the password";
    throw new Problem("conflict", { text });
  }
  return password;
}

/** Returns the servers that the principal can access, by name. */
export async function listServers(context: Context, principal: Principal): Promise<readonly Server[]> {
  const ids = serversOf(principal);
  if (ids === null) return context.store.listServers();
  if (ids.length > 1) return (await context.store.listServers()).filter(({ id }) => ids.includes(id));
  const [only] = await Promise.all(ids.map(async (id) => context.store.getServer(id)));
  return only === undefined ? [] : [only];
}

/** Request to change one server; absent members stay as they are. */
interface ServerUpdate {
  readonly id: string;
  readonly change: ServerChange;
}

/**
 * Changes name, users, team, retention, quota, protection or reader deletion of a server. Rejects with `not_found`, with `forbidden` when the quota is changed without an
 * account key, or with a 400 that names the field. */
export async function updateServer(context: Context, principal: Principal, update: ServerUpdate): Promise<Server> {
  const server = await openServer(context, principal, update.id);
  checkServerChange(update.change);
  requireQuotaRight(principal, server.quota, update.change.quota ?? {});
  const { team = server.team } = update.change;
  if (team === server.team) return orNotFound(await context.store.updateServer(server.id, update.change), "Server");
  requireManager(principal, server.team);
  requireManager(principal, team);
  const changed = await context.store.updateServer(server.id, update.change);
  context.revocations.publish(null);
  return orNotFound(changed, "Server");
}

/** Throws a 400 that names every wrong field. */
export function checkServerChange({ name, retention, quota }: ServerChange): void {
  checkAll(
    () => (name === undefined ? undefined : checkServerName(name)),
    () => checkBound("retention.ageSecondsMax", retention?.ageSecondsMax),
    () => checkBound("retention.messageCountMax", retention?.messageCountMax),
    () => checkBound("quota.messages", quota?.messages),
    () => checkBound("quota.bytes", quota?.bytes),
  );
}

/** Throws `forbidden` when a restricted key changes the quota; repeating the current one is no change. */
function requireQuotaRight(principal: Principal, present: ServerQuota, wanted: Partial<ServerQuota>): void {
  const { messages = present.messages, bytes = present.bytes } = wanted;
  if (messages !== present.messages || bytes !== present.bytes) requireAccount(principal);
}

/** Deletes a server with its messages, attachments and keys. Rejects with `not_found` or `forbidden`. */
export async function deleteServer(context: Context, principal: Principal, idText: string): Promise<void> {
  const server = await openServer(context, principal, idText);
  requireManager(principal, server.team);
  if (!(await context.store.deleteServer(server.id))) throw notFound("Server");
  context.revocations.publish(null);
}

/** Settings that a server may not have; null without them. */
export interface OptionalSettings {
  readonly scanner: ShownScanner | null;
  readonly zone: DnsZone | null;
}

/** Returns the link scanner and the DNS zone of a server. Rejects with `not_found` when there is no such server. */
export async function getOptionalSettings(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<OptionalSettings> {
  await openServer(context, principal, idText);
  const [scanner, zone] = await Promise.all([
    orNull(getScanner(context, principal, idText)),
    orNull(getDnsZone(context, principal, idText)),
  ]);
  return { scanner, zone };
}

async function orNull<Setting>(reading: Promise<Setting>): Promise<Setting | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return null;
    throw error;
  });
}
