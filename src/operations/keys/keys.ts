import { randomInt, randomUUID } from "node:crypto";
import { type ApiKey, freshKey, type KeyLimits, keyScopes, type Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { checkAll } from "../../core/field-collector.ts";
import type { ServerId } from "../../core/ids.ts";
import { isNetwork } from "../../core/ip-address.ts";
import type { KeyOwner } from "../../core/people.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { ipNetwork } from "../../core/text-schemas.ts";
import type { AccountContext } from "../context.ts";
import { openServer, requireManager } from "../services/security/access.ts";
import { hashKey } from "../services/security/stored-secrets.ts";
import { principalOfOwnedKey } from "../services/security/principals.ts";

const requestsPerMinuteMax = 1_000_000;
const networkCountMax = 100;

/** Schema of the scope of a key. */
export const keyScopeSchema = build.enum(
  keyScopes,
  "`read`: list, search, wait and fetch. `send`: create messages, send, reply and forward. `scim`: provision users and groups by SCIM. `full`: everything.",
);

/** Meaning of the networks of a key. */
export const networksText = "Addresses and networks (`192.0.2.0/24`) from which alone the key is valid; empty for all.";

/** Request body that creates a key. */
export const keyRequestSchema = build.partial({
  name: build.string({ maxLength: 200 }),
  server: build.string("Id of the only server that the key gives access to."),
  scope: keyScopeSchema,
  expires: build.string({ format: "date-time", description: "ISO 8601 instant in the future." }),
  requestsPerMinute: build.integer({ minimum: 1, maximum: requestsPerMinuteMax }),
  networks: build.array(ipNetwork(), { maxItems: networkCountMax, description: networksText }),
  user: build.string(
    "Id of the user that owns the key and whose access it cannot exceed; the user of the request by default. Account keys create keys of the account by default, and for a server, keys of the server.",
  ),
  team: build.string("Id of the team that owns the key and whose access it cannot exceed."),
});

/** Fields of a new key; without `server` it is an account key. */
export type KeyRequest = ValueOf<typeof keyRequestSchema>;

/** Name of the operator's key; a new value of RESTANTE_API_KEY replaces it. */
export const operatorKeyName = "RESTANTE_API_KEY";

/** New key; its `secret` is returned only once. */
export interface NewKey {
  readonly secret: string;
  readonly key: ApiKey;
}

/** Creates a key. Rejects with `forbidden`, with `not_found` for an unknown server, with a 400 that names every wrong field. */
export async function createKey(context: AccountContext, principal: Principal, request: KeyRequest): Promise<NewKey> {
  const owner = readOwner(principal, request);
  const { name = "" } = request;
  checkKeyRequest(context, request);
  if (request.scope === "scim" && request.server !== undefined) {
    throw invalidField("server", "Keys for SCIM belong to the account, not to a server");
  }
  const server = request.server === undefined ? null : (await openServer(context, principal, request.server)).id;
  const key = { name: name.toWellFormed(), server, owner, ...readLimits(context, request) };
  if (owner !== null) await requireAccess(context, { ...newKey(context), ...key });
  return addKey(context, { secret: newSecret(), ...key });
}

/**
 * Returns the owner of a new key. Throws `forbidden` unless the principal may create keys of that owner: all of the account,
 * managers those of their teams, users their own; a 400 for two owners. A key for everything that a person creates is its own, so
 * that it ends with the person; account keys create those of the account, and keys for a server belong to the server.
 */
function readOwner(principal: Principal, { user, team, server }: KeyRequest): KeyOwner | null {
  if (user !== undefined && team !== undefined) throw invalidField("team", "A key has one owner: a user or a team");
  if (team !== undefined) {
    requireManager(principal, team);
    return { kind: "team", id: team };
  }
  if (principal.server === null) {
    const id = user ?? (server === undefined ? principal.user?.id : undefined);
    return id === undefined ? null : { kind: "user", id };
  }
  const own = requireUser(principal);
  if (user !== undefined && user !== own) throw new Problem("forbidden");
  return { kind: "user", id: own };
}

/** Rejects with a 400 for a key that would give access to nothing. */
async function requireAccess(context: AccountContext, key: ApiKey): Promise<void> {
  if ((await principalOfOwnedKey(context, key)) !== undefined) return;
  const field = key.server === null ? (key.owner?.kind ?? "user") : "server";
  throw invalidField(field, "The owner of the key has no access to this server, or does not exist or is inactive");
}

/** Returns the id of the user that the principal is, with all of its rights. Throws `forbidden` otherwise. */
function requireUser({ user, server, scope = "full" }: Principal): string {
  if (user === undefined || typeof server === "string" || scope !== "full") throw new Problem("forbidden");
  return user.id;
}

/** Throws a 400 that names every wrong field. */
export function checkKeyRequest({ clock }: AccountContext, request: KeyRequest): void {
  checkAll(
    () => checkName(request.name ?? ""),
    () => checkLimits(request),
    () => readExpiry(clock.now(), request.expires),
  );
}

function checkName(name: string): void {
  if (name.length > 200) throw invalidField("name", "Names have at most 200 characters", "too_long");
}

function readLimits({ clock }: AccountContext, request: KeyRequest): KeyLimits {
  const { scope = "full", requestsPerMinute = null, networks = [] } = request;
  return { scope, requestsPerMinute, networks, expiresAt: readExpiry(clock.now(), request.expires) };
}

function checkLimits(request: KeyRequest): void {
  checkAll(
    () => checkRequestsPerMinute(request.requestsPerMinute ?? null),
    () => checkNetworks(request.networks ?? []),
  );
}

function checkRequestsPerMinute(requestsPerMinute: number | null): void {
  if (requestsPerMinute !== null && !isWholeWithin(requestsPerMinute, 1, requestsPerMinuteMax)) {
    throw invalidField("requestsPerMinute", `A whole number from 1 to ${String(requestsPerMinuteMax)}`, "out_of_range");
  }
}

function checkNetworks(networks: readonly string[]): void {
  if (networks.length > networkCountMax || !networks.every(isNetwork)) {
    throw invalidField("networks", `At most ${String(networkCountMax)} addresses or networks such as 192.0.2.0/24`);
  }
}

/** Returns whether a number is an integer from `min` to `max`. */
function isWholeWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

function readExpiry(now: number, expires: string | undefined): number | null {
  if (expires === undefined) return null;
  const at = instantShape.test(expires) ? Date.parse(expires) : Number.NaN;
  if (at > now) return at;
  throw invalidField(
    "expires",
    "Must be an ISO 8601 instant in the future, such as 2027-01-31T00:00:00Z",
    "invalid_date",
  );
}

/** Date, or date and time with offset; dates alone are midnight in UTC (ECMA-262 §21.4.1.32). */
const instantShape = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Stores a key with the given secret. Rejects with `conflict` when it exists already. */
export async function addKey(
  context: AccountContext,
  own: { secret: string; name: string; server: ServerId | null; owner?: KeyOwner | null } & Partial<KeyLimits>,
): Promise<NewKey> {
  const { secret, ...chosen } = own;
  const key: ApiKey = { ...newKey(context), ...chosen, hash: hashKey(context.secrets, secret) };
  await context.store.addKey(key);
  return { secret, key };
}

function newKey({ clock }: AccountContext): ApiKey {
  return { ...freshKey, id: randomUUID(), name: "", hash: "", server: null, createdAt: clock.now() };
}

/** Characters of keys. Libraries of providers refuse others: twilio-go takes no hyphen. */
const keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Returns a random key: 32 letters and digits, 190 bits. */
export function newSecret(): string {
  return Array.from({ length: 32 }, () => keyCharacters.charAt(randomInt(keyCharacters.length))).join("");
}

/**
 * Returns the keys that the principal administers, oldest first: all of the account, those of a user, and of the teams that it
 * manages and their servers. Rejects with `forbidden`.
 */
export async function listKeys(context: AccountContext, principal: Principal): Promise<readonly ApiKey[]> {
  const { server } = principal;
  if (server !== null && (principal.user === undefined || typeof server === "string")) throw new Problem("forbidden");
  return (await context.store.listKeys()).filter((key) => mayAdminister(principal, key));
}

function mayAdminister({ server, user }: Principal, key: ApiKey): boolean {
  if (server === null) return true;
  if (typeof server === "string" || user === undefined) return false;
  const { owner } = key;
  if (owner?.kind === "user") return owner.id === user.id;
  if (owner?.kind === "team") return server.managed.has(owner.id);
  return key.server !== null && server.servers.get(key.server) === "full";
}

/** Revokes a key. Rejects with `forbidden`, with `not_found`, and with `conflict` for the key of the request. */
export async function revokeKey(context: AccountContext, principal: Principal, id: string): Promise<void> {
  const known = (await listKeys(context, principal)).some((key) => key.id === id);
  if (id === principal.keyId) throw new Problem("conflict", { text: "A key cannot revoke itself; use another key" });
  if (!known || !(await context.store.removeKey(id))) throw notFound("Key");
  context.revocations.publish(id);
}

const graceSecondsUsual = 24 * 3600;
const graceSecondsMax = 30 * 24 * 3600;

/** Request body that rotates a key. */
export const rotationSchema = build.partial({
  graceSeconds: build.integer({
    minimum: 0,
    maximum: graceSecondsMax,
    description: "Seconds for which the current secret stays valid; a day when absent, 0 revokes it at once.",
  }),
});

/** Fields of a rotation. */
export type Rotation = ValueOf<typeof rotationSchema>;

/**
 * Replaces the secret of a key and returns the new one. Rejects with `forbidden`, with `not_found`, with a 400 on `graceSeconds`, with
 * `conflict` for the key that RESTANTE_API_KEY sets.
 */
export async function rotateKey(
  context: AccountContext,
  principal: Principal,
  { id, graceSeconds = graceSecondsUsual }: Rotation & { readonly id: string },
): Promise<NewKey> {
  const keys = await listKeys(context, principal);
  if (!isWholeWithin(graceSeconds, 0, graceSecondsMax)) {
    throw invalidField(
      "graceSeconds",
      `A whole number of seconds from 0 to ${String(graceSecondsMax)}`,
      "out_of_range",
    );
  }
  const known = keys.find((key) => key.id === id);
  if (known === undefined) throw notFound("Key");
  if (known.name === operatorKeyName && known.server === null) {
    throw new Problem("conflict", { text: "RESTANTE_API_KEY sets this key; change it there" });
  }
  const secret = newSecret();
  const formerUntil = graceSeconds === 0 ? null : context.clock.now() + graceSeconds * 1000;
  const key = await context.store.rotateKey(id, hashKey(context.secrets, secret), formerUntil);
  if (key === undefined) throw notFound("Key");
  context.revocations.publish(id);
  return { secret, key };
}
