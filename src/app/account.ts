/** Account key, servers and phone numbers that must exist before the listeners open. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Principal } from "../core/api-key.ts";
import { newServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import type { AccountContext, Context } from "../operations/context.ts";
import { addKey, newSecret, operatorKeyName } from "../operations/keys/keys.ts";
import { addServer } from "../operations/servers/servers.ts";
import { findKey } from "../operations/services/security/authenticate.ts";
import { hashKey } from "../operations/services/security/stored-secrets.ts";
import { addPhoneNumber } from "../operations/sms/phone-numbers.ts";
import { type Config, SettingsError } from "./settings/config.ts";
import { exposedAddress } from "./loopback.ts";

/**
 * Account key that the operator can use.
 * - `generated`: created by this start; to be shown.
 * - `file`: created by an earlier start and still in the file.
 * - `own`: set or created by the operator; the service knows its hash only.
 */
export type AccountKey =
  | { readonly kind: "generated"; readonly secret: string; readonly file: string }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "own" };

/** Principal of the operator of this machine, who uses settings, commands and programs. */
export const operator: Principal = { keyId: "operator", server: null };

/** Returns the path of the file that holds the generated account key. */
export function keyFileIn(dataDir: string): string {
  return join(dataDir, "api-key");
}

/** Returns the generated account key from its file; undefined when there is none. */
export function readKeyFile(dataDir: string): string | undefined {
  try {
    return readFileSync(keyFileIn(dataDir), "utf8").trim() || undefined;
  } catch {
    // No file: the operator set the key, or none was generated.
    return undefined;
  }
}

/**
 * Ensures that an account key exists: the one of RESTANTE_API_KEY, else any stored one, else a generated one, which is
 * written to a file with mode 0600. Throws {@link SettingsError} instead of generating a key when the listeners are not on
 * loopback.
 */
export async function ensureAccountKey(context: AccountContext, config: Config): Promise<AccountKey> {
  if (config.apiKey !== null) {
    await storeOwnKey(context, config.apiKey);
    return { kind: "own" };
  }
  const file = keyFileIn(config.dataDir);
  const keys = await context.store.listKeys();
  if (keys.some((key) => key.server === null)) {
    const stored = readKeyFile(config.dataDir);
    const isValid = stored !== undefined && (await findKey(context, stored)) !== undefined;
    return isValid ? { kind: "file", file } : { kind: "own" };
  }
  const exposed = exposedAddress(config.bind);
  if (exposed !== undefined) throw new SettingsError([missingKey(exposed)]);
  const secret = newSecret();
  writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  await addKey(context, { secret, name: "First key", server: null });
  return { kind: "generated", secret, file };
}

/**
 * Ensures that the servers of RESTANTE_SERVERS exist, or at least one; existing ones stay unchanged. Returns the servers of
 * the setting, else all, oldest first; the first is the default catch-all. Throws {@link SettingsError} when
 * RESTANTE_CATCH_ALL names an unknown server.
 */
export async function ensureServers(context: AccountContext, config: Config): Promise<readonly [Server, ...Server[]]> {
  const servers =
    config.servers === null ? await anyServers(context) : await configuredServers(context, config.servers);
  const { catchAll } = config;
  const isServer = catchAll !== "first" && catchAll !== "off";
  if (isServer && (await context.store.getServer(catchAll)) === undefined) {
    throw new SettingsError([`RESTANTE_CATCH_ALL: there is no server ${catchAll}; name it in RESTANTE_SERVERS too`]);
  }
  return servers;
}

/**
 * Assigns the phone numbers of RESTANTE_NUMBERS to their servers and encrypts secrets of numbers that are stored in clear;
 * other numbers stay unchanged. Throws {@link SettingsError} for an unknown server.
 */
export async function ensureNumbers(context: Context, { numbers }: Config): Promise<void> {
  const { phoneNumbers } = context.store;
  for (const { number, server } of numbers) {
    if ((await context.store.getServer(server)) === undefined) {
      throw new SettingsError([`RESTANTE_NUMBERS: there is no server ${server}; name it in RESTANTE_SERVERS too`]);
    }
    const known = await phoneNumbers.findPhoneNumber(number);
    if (known?.server === server) continue;
    if (known !== undefined) await phoneNumbers.removePhoneNumber(known.id);
    await addPhoneNumber(context, operator, { number, server });
  }
}

async function storeOwnKey(context: AccountContext, secret: string): Promise<void> {
  const hash = hashKey(context.secrets, secret);
  if ((await findKey(context, secret)) === undefined) {
    await addKey(context, { secret, name: operatorKeyName, server: null });
  }
  for (const key of await context.store.listKeys()) {
    if (key.name === operatorKeyName && key.server === null && key.hash !== hash) await context.store.removeKey(key.id);
  }
}

async function anyServers(context: AccountContext): Promise<readonly [Server, ...Server[]]> {
  const oldestFirst = (await context.store.listServers()).toSorted((a, b) => a.createdAt - b.createdAt);
  const [first, ...others] = oldestFirst;
  if (first !== undefined) return [first, ...others];
  return [await addServer(context, { id: newServerId(), name: "Default", expiresAt: null })];
}

async function configuredServers(
  context: AccountContext,
  configured: NonNullable<Config["servers"]>,
): Promise<readonly [Server, ...Server[]]> {
  const servers = [];
  for (const { id, name } of configured) {
    servers.push((await context.store.getServer(id)) ?? (await addServer(context, { id, name, expiresAt: null })));
  }
  return servers as [Server, ...Server[]];
}

function missingKey(exposed: string): string {
  return `RESTANTE_BIND: ${exposed} can be reached from other machines, and there is no API key yet; set RESTANTE_API_KEY, or start once on 127.0.0.1 to generate one`;
}
