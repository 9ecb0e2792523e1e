import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { checkAll } from "../../core/field-collector.ts";
import { newServerId, type ServerId } from "../../core/ids.ts";
import { int32Max } from "../../core/limits.ts";
import type { ServerQuota } from "../../core/server-quota.ts";
import type { ReaderDeletion, Server } from "../../core/server.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { addKey, newSecret } from "../keys/create-key.ts";
import { newServerPassword } from "./reset-server-password.ts";
import { sealServerPassword } from "../services/security/server-passwords.ts";

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
  context: Pick<Context, "store" | "clock" | "limits" | "secrets">,
  principal: Principal,
  request: ServerRequest,
): Promise<CreatedServer> {
  requireAccount(principal);
  checkServerRequest(request);
  const name = checkServerName(request.name);
  const expiresAt = request.ttlSeconds === undefined ? null : context.clock.now() + request.ttlSeconds * 1000;
  await checkServerCount(context);
  const { quota = {}, readerDeletion } = request;
  const server = await addWithRandomId(context, {
    name,
    expiresAt,
    quota,
    ...(readerDeletion !== undefined && { readerDeletion }),
  });
  if (request.withKey !== true) return { server, secret: null };
  const { secret } = await addKey(context, { secret: newSecret(), name, server: server.id });
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

async function checkServerCount({ store, limits }: Pick<Context, "store" | "limits">): Promise<void> {
  if (limits.serverCountMax === int32Max) return;
  if ((await store.listServers()).length < limits.serverCountMax) return;
  throw new Problem("limit_reached", {
    text: `The limit of ${limits.serverCountMax} servers is reached; delete a server first`,
  });
}

async function addWithRandomId(
  context: Pick<Context, "store" | "clock" | "secrets">,
  wanted: Omit<RequestedServer, "id">,
): Promise<Server> {
  for (;;) {
    try {
      return await addServer(context, { ...wanted, id: newServerId() });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "conflict") throw error;
    }
  }
}

/** Server to create. */
interface RequestedServer {
  readonly id: ServerId;
  readonly name: string;
  readonly expiresAt: number | null;
  readonly quota?: Partial<ServerQuota>;
  readonly readerDeletion?: ReaderDeletion;
}

/** Creates the server with this id. Rejects with `conflict` when the id is taken. */
export async function addServer(
  context: Pick<Context, "store" | "clock" | "secrets">,
  wanted: RequestedServer,
): Promise<Server> {
  const password = sealServerPassword(context.secrets, wanted.id, newServerPassword());
  return context.store.createServer({ ...wanted, password, createdAt: context.clock.now() });
}

/** Throws a 400 on `field` when the value is not undefined, null or an integer of at least 1. */
export function checkBound(field: string, value: number | null | undefined): void {
  if (value === undefined || value === null) return;
  if (!Number.isSafeInteger(value) || value < 1) throw invalidField(field, "A whole number of at least 1, or null");
}

/** Returns the name to store: well-formed, not trimmed, 1…200 characters. Throws a 400 on `name`. */
export function checkServerName(name: string | undefined): string {
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
