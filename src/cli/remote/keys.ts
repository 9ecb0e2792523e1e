/** Commands about API keys and verified addresses of a service: over its API while it runs, else directly in its store. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { operator, readKeyFile } from "../../app/account.ts";
import { reachDatabase } from "../../app/open-store.ts";
import { ensureSecretKey } from "../../app/secret-key.ts";
import { readRunningService } from "../../app/service-file.ts";
import type { Config } from "../../app/settings/config.ts";
import { PermissionError } from "../../client/errors.ts";
import type { CreateKeyRequest } from "../../client/generated/types.ts";
import { type KeyScope, keyScopes, createRevocations } from "../../core/api-key.ts";
import type { AuditAction, AuditedAction } from "../../core/audit-entry.ts";
import type { Team, User } from "../../core/people.ts";
import { databaseFileName } from "../../store/sqlite/connection/store-directory.ts";
import { toWireKey } from "../../http/wire/account-schema.ts";
import {
  createKey,
  type KeyRequest,
  listKeys,
  revokeKey,
  type Rotation,
  rotateKey,
} from "../../operations/keys/keys.ts";
import { createSecretBox } from "../../operations/services/security/secret-box.ts";
import { approveAddress } from "../../operations/verified-addresses/verified-addresses.ts";
import { openPostgresStore } from "../../store/postgres/open.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import type { Store } from "../../store/store.ts";
import {
  type Action,
  type Call,
  configOf,
  exitCodes,
  print,
  type Printed,
  type Terminal,
  toJson,
  wholeNumberOf,
} from "../command.ts";
import { recordCommand } from "../record-command.ts";
import { findTeam, findUser } from "./people-commands.ts";
import { connect, isServiceAt } from "./service-client.ts";

/** Returns the action of a command that prints what `run` returns. */
function administering(run: (administration: Administration, call: Call) => Promise<Printed>): Action {
  return async (call) => {
    await using administration = await openAdministration(configOf(call), call.terminal);
    print(call.terminal, await run(administration, call));
    return exitCodes.done;
  };
}

/** Runs `restante keys create`: prints the key alone on its line, for use in scripts. */
export const createKeyCommand: Action = administering(async (administration, { flags }) => {
  const request = readRequest(flags);
  const owner = await readOwner(administration, flags);
  return `${await administration.createKey({ ...request, ...owner })}\n`;
});

function readRequest(flags: ReadonlyMap<string, string>): KeyRequest {
  const [name, server, scope, expires] = ["name", "server", "scope", "expires"].map((flag) => flags.get(flag));
  const requestsPerMinute = wholeNumberOf(flags, "requests-per-minute");
  const networks = flags
    .get("networks")
    ?.split(",")
    .map((network) => network.trim());
  return {
    ...(name !== undefined && { name }),
    ...(server !== undefined && { server }),
    ...(scope !== undefined && { scope: scopeOf(scope) }),
    ...(expires !== undefined && { expires }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(networks !== undefined && { networks }),
  };
}

/** Returns the owner of a new key by its id. Rejects with an `Error` for the operator when it does not exist. */
async function readOwner(
  administration: Administration,
  flags: ReadonlyMap<string, string>,
): Promise<Pick<KeyRequest, "user" | "team">> {
  const [user, team] = [flags.get("user"), flags.get("team")];
  return {
    ...(user !== undefined && { user: findUser(await administration.listUsers(), user) }),
    ...(team !== undefined && { team: findTeam(await administration.listTeams(), team) }),
  };
}

function scopeOf(text: string): KeyScope {
  const scope = keyScopes.find((one) => one === text);
  if (scope === undefined) throw new Error(`--scope must be one of ${keyScopes.join(", ")}`);
  return scope;
}

/** Runs `restante keys list`: prints one key per line, with fields separated by tabs, or the JSON of the API. */
export const listKeysCommand: Action = administering(async (administration, { flags }) => {
  const keys = await administration.listKeys();
  if (flags.has("json")) return toJson(keys);
  const owners = await ownersOf(administration, keys);
  return keys.map(({ id, server, createdAt, name, scope, expires, lastUsed, user, team }) => {
    const usage = [scope, expires ?? "never expires", lastUsed ?? "never used"];
    return [id, server ?? "all servers", createdAt, name, ...usage, owners.get(team ?? user ?? "") ?? "account"];
  });
});

/** Returns the owners of keys by id: users by address and teams by name, or both by id where the caller may not list them. */
async function ownersOf(
  administration: Administration,
  keys: readonly ShownKey[],
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const { user, team } of keys) {
    if (user !== null) owners.set(user, `user ${user}`);
    if (team !== null) owners.set(team, `team ${team}`);
  }
  if (owners.size === 0) return owners;
  try {
    const [users, teams] = await Promise.all([administration.listUsers(), administration.listTeams()]);
    for (const { id, email } of users) owners.set(id, `user ${email}`);
    for (const { id, name } of teams) owners.set(id, `team ${name}`);
  } catch (error) {
    // The key of a user who manages no team.
    if (!(error instanceof PermissionError)) throw error;
  }
  return owners;
}

/** Runs `restante keys revoke ID`. */
export const revokeKeyCommand: Action = administering(async (administration, { operands: [id = ""] }) =>
  administration.revokeKey(id),
);

/** Runs `restante keys rotate ID`: prints the new key alone on its line, for use in scripts. */
export const rotateKeyCommand: Action = administering(async (administration, { operands: [id = ""], flags }) => {
  const graceSeconds = wholeNumberOf(flags, "grace");
  return `${await administration.rotateKey({ id, ...(graceSeconds !== undefined && { graceSeconds }) })}\n`;
});

/** Runs `restante verify`: marks an address as verified. */
export const verifyCommand: Action = administering(async (administration, { operands: [address = ""] }) => {
  return `${await administration.verifyAddress(address)} is verified\n`;
});

/** Key as the API shows it. */
type ShownKey = ReturnType<typeof toWireKey>;

/** Operations on API keys and verified addresses of a service, and the owners that keys can have. */
interface Administration extends AsyncDisposable {
  listUsers(): Promise<readonly Pick<User, "id" | "email" | "userName">[]>;
  listTeams(): Promise<readonly Pick<Team, "id" | "name">[]>;
  /** Creates a key and returns it. */
  createKey(request: KeyRequest): Promise<string>;
  /** Returns all keys, oldest first. */
  listKeys(): Promise<readonly ShownKey[]>;
  revokeKey(id: string): Promise<void>;
  /** Replaces the secret of a key and returns the new key. */
  rotateKey(rotation: Rotation & { readonly id: string }): Promise<string>;
  /** Marks an address as verified; returns it in normalised form. */
  verifyAddress(address: string): Promise<string>;
}

/**
 * Opens the administration of the service of `config.dataDir`. Rejects with an `Error` for the operator when the service runs
 * but cannot be reached, and when the folder has no database.
 */
async function openAdministration(config: Config, terminal: Terminal): Promise<Administration> {
  const address = readRunningService(config.dataDir);
  if (address === undefined) return openDirectly(config, terminal);
  if (address.url === null) {
    throw new Error("The service runs without its HTTP listener (RESTANTE_HTTP_PORT=off); stop it and retry");
  }
  const key = config.apiKey ?? readKeyFile(config.dataDir);
  if (key === undefined) throw new Error("The key of the service is not in its data folder; set RESTANTE_API_KEY");
  // The service file may be left over from a crash, and its process id may belong to another program.
  return (await isServiceAt(address.url))
    ? overApi(connect(address.url, key), address.operatorToken)
    : openDirectly(config, terminal);
}

function overApi({ client, transport }: ReturnType<typeof connect>, operatorToken: string): Administration {
  const { keys } = client;
  return {
    listUsers: async () => client.users.list(),
    listTeams: async () => client.teams.list(),
    createKey: async (request) => (await transport.call("createKey", { body: request as CreateKeyRequest })).key,
    listKeys: async () => keys.list(),
    revokeKey: async (id) => keys.revoke(id),
    rotateKey: async ({ id, ...rotation }) => (await keys.rotate(id, rotation)).key,
    verifyAddress: async (address) => (await client.verifiedAddresses.add({ address, operatorToken })).address,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function openDirectly(config: Config, terminal: Terminal): Promise<Administration> {
  const store = await openStoreOf(config);
  const { clock } = terminal;
  const context = { store, clock, revocations: createRevocations(), secrets: createSecretBox(ensureSecretKey(config)) };
  const record = async (action: AuditAction, members: Partial<AuditedAction>): Promise<void> =>
    recordCommand({ config, terminal, store }, action, members);
  return {
    listUsers: async () => store.people.listUsers(),
    listTeams: async () => store.people.listTeams(),
    createKey: async (request) => {
      const { key, secret } = await createKey(context, operator, request);
      await record("key.create", { target: key.id, server: key.server, details: { scope: key.scope } });
      return secret;
    },
    listKeys: async () => (await listKeys(context, operator)).map(toWireKey),
    revokeKey: async (id) => {
      await revokeKey(context, operator, id);
      await record("key.revoke", { target: id });
    },
    rotateKey: async (rotation) => {
      const { key, secret } = await rotateKey(context, operator, rotation);
      await record("key.rotate", { target: key.id, server: key.server });
      return secret;
    },
    verifyAddress: async (addressText) => {
      const { id, address, status } = await approveAddress(context, addressText);
      await record("verified_address.add", { target: id, details: { status } });
      return address;
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

async function openStoreOf({ databaseUrl, dataDir }: Config): Promise<Store> {
  if (databaseUrl !== null) return await reachDatabase(() => openPostgresStore({ url: databaseUrl }));
  if (!existsSync(join(dataDir, databaseFileName))) {
    throw new Error(`There is no database in ${dataDir}; start restante serve, or set --data-dir`);
  }
  return openSqliteStore({ directory: dataDir, durable: true });
}
