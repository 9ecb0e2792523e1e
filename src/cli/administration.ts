/** How commands administer a service: over its API while it runs, straight through its store while it does not. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readKeyFile } from "../app/account.ts";
import type { Config } from "../app/settings/config.ts";
import { reachDatabase } from "../app/reach-database.ts";
import { ensureSecretKey } from "../app/secret-key.ts";
import { readRunningService } from "../app/service-file.ts";
import { toWireKey } from "../http/wire/key-json.ts";
import type { KeyScope, Principal } from "../core/api-key.ts";
import type { AuditAction, AuditedAct } from "../core/audit-entry.ts";
import { createSecretBox } from "../operations/secret-box.ts";
import { createRevocations } from "../core/revocations.ts";
import { approveAddress } from "../operations/add-verified-address.ts";
import { createKey, type KeyRequest } from "../operations/create-key.ts";
import { listKeys } from "../operations/list-keys.ts";
import { rotateKey, type Rotation } from "../operations/rotate-key.ts";
import { revokeKey } from "../operations/revoke-key.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { databaseFileName } from "../store/sqlite/backup/backup.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Store } from "../store/store.ts";
import { openApiClient, type ApiClient } from "./api-client.ts";
import type { Terminal } from "./command.ts";
import { recordCommand } from "./record-command.ts";

/** A key as commands show it. */
interface ShownKey {
  readonly id: string;
  readonly name: string;
  /** The only server that the key opens; null for all. */
  readonly server: string | null;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly scope: KeyScope;
  /** ISO 8601 in UTC; null for never. */
  readonly expires: string | null;
  readonly lastUsed: string | null;
}

/** What commands do to the keys of a service. */
export interface Administration extends AsyncDisposable {
  /** Makes a key; answers the key itself. */
  createKey(request: KeyRequest): Promise<string>;
  /** Oldest first. */
  listKeys(): Promise<readonly ShownKey[]>;
  revokeKey(id: string): Promise<void>;
  /** Gives a key a new secret; answers the key itself. */
  rotateKey(rotation: Rotation & { readonly id: string }): Promise<string>;
  /** Lets mail go to the address; answers it as it will be written. */
  verifyAddress(address: string): Promise<string>;
}

type AdministrationTerminal = Pick<Terminal, "clock" | "error">;

/**
 * Reaches the service of `config.dataDir`. Rejects with an `Error` that says what to do when the service runs and cannot
 * be reached, or when there has never been one.
 */
export async function openAdministration(config: Config, terminal: AdministrationTerminal): Promise<Administration> {
  const address = readRunningService(config.dataDir);
  if (address === undefined) return openDirectly(config, terminal);
  if (address.url === null) {
    throw new Error("The service runs without its API (RESTANTE_HTTP_PORT=off); stop it and call this again");
  }
  const key = config.apiKey ?? readKeyFile(config.dataDir);
  if (key === undefined) throw new Error("The service runs with a key of your own; give it as RESTANTE_API_KEY");
  const client = openApiClient(address.url, key);
  // The note may be left from a crash, and its process number may be another program's by now.
  return (await client.isThere()) ? overApi(client, address.operatorToken) : openDirectly(config, terminal);
}

function overApi(client: ApiClient, operatorToken: string): Administration {
  return {
    createKey: async (request) => (await client.send<{ key: string }>("POST", "/api/keys", request)).key,
    listKeys: async () => client.send<readonly ShownKey[]>("GET", "/api/keys"),
    revokeKey: async (id) => client.send("DELETE", `/api/keys/${encodeURIComponent(id)}`),
    rotateKey: async ({ id, ...rotation }) => {
      const path = `/api/keys/${encodeURIComponent(id)}/rotate`;
      return (await client.send<{ key: string }>("POST", path, rotation)).key;
    },
    verifyAddress: async (address) => {
      const request = { address, operatorToken };
      return (await client.send<{ address: string }>("POST", "/api/verified-addresses", request)).address;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const operator: Principal = { keyId: "operator", server: null };

async function openDirectly(config: Config, terminal: AdministrationTerminal): Promise<Administration> {
  const store = await openStoreOf(config);
  const { clock } = terminal;
  const context = { store, clock, revocations: createRevocations(), secrets: createSecretBox(ensureSecretKey(config)) };
  const record = async (action: AuditAction, members: Partial<AuditedAct>): Promise<void> =>
    recordCommand({ config, terminal, store }, action, members);
  return {
    createKey: async (request) => {
      const { key, secret } = await createKey(context, operator, request);
      await record("key.create", { target: key.id, server: key.server, details: { scope: key.scope } });
      return secret;
    },
    listKeys: async () => {
      const keys = await listKeys(context, operator);
      return keys.map(toWireKey);
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
    throw new Error(`There is no service in ${dataDir} yet; restante serve makes one, --data-dir names another`);
  }
  return openSqliteStore({ directory: dataDir, durable: true });
}
