/** Administration of a service by commands: over its API while it runs, else directly in its store. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readKeyFile } from "../../app/account.ts";
import type { Config } from "../../app/settings/config.ts";
import type { CreateKeyRequest } from "../../client/generated/types.ts";
import { reachDatabase } from "../../app/open-store.ts";
import { ensureSecretKey } from "../../app/secret-key.ts";
import { readRunningService } from "../../app/service-file.ts";
import { toWireKey } from "../../http/wire/account-schema.ts";
import { type Principal, createRevocations } from "../../core/api-key.ts";
import type { AuditAction, AuditedAction } from "../../core/audit-entry.ts";
import type { Team, User } from "../../core/people.ts";
import { createSecretBox } from "../../operations/services/security/secret-box.ts";
import { approveAddress } from "../../operations/verified-addresses/verified-addresses.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "../../operations/keys/keys.ts";
import type { KeyRequest, Rotation } from "../../operations/keys/keys.ts";
import { openPostgresStore } from "../../store/postgres/open.ts";
import { databaseFileName } from "../../store/sqlite/connection/store-directory.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import type { Store } from "../../store/store.ts";
import { connect, isServiceAt } from "../remote/service-client.ts";
import type { Terminal } from "../command.ts";
import { recordCommand } from "../record-command.ts";

/** Key as the API shows it. */
export type ShownKey = ReturnType<typeof toWireKey>;

/** Operations on API keys and verified addresses of a service, and the owners that keys can have. */
export interface Administration extends AsyncDisposable {
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

type AdministrationTerminal = Pick<Terminal, "clock" | "error">;

/**
 * Opens the administration of the service of `config.dataDir`. Rejects with an `Error` for the operator when the service runs
 * but cannot be reached, and when the folder has no database.
 */
export async function openAdministration(config: Config, terminal: AdministrationTerminal): Promise<Administration> {
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

const operator: Principal = { keyId: "operator", server: null };

async function openDirectly(config: Config, terminal: AdministrationTerminal): Promise<Administration> {
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
    listKeys: async () => {
      return (await listKeys(context, operator)).map(toWireKey);
    },
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
