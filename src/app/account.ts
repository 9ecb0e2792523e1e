/** What must exist before the doors open: a key that opens the account, and servers. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Principal } from "../core/api-key.ts";
import { newServerId, type ServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import type { Context } from "../operations/context.ts";
import { addKey, newSecret, operatorKeyName } from "../operations/create-key.ts";
import { addServer } from "../operations/create-server.ts";
import { findKey } from "../operations/find-key.ts";
import { hashKey } from "../operations/key-hash.ts";
import { sealKeptSecrets } from "../operations/number-secrets.ts";
import { addPhoneNumber } from "../operations/phone-numbers.ts";
import { SettingsError, type Config } from "./settings/config.ts";
import { isLoopback } from "./loopback.ts";

type Needs = Pick<Context, "store" | "clock" | "secrets">;

/**
 * The key that a person may use now.
 * - `generated`: made by this start; show it.
 * - `file`: made by an earlier start and still in the file.
 * - `own`: chosen by the operator, or made by them later; only they know it.
 */
export type AccountKey =
  | { readonly kind: "generated"; readonly secret: string; readonly file: string }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "own" };

const operator: Principal = { keyId: "operator", server: null };

/** File of the generated account key. */
export function keyFileIn(dataDir: string): string {
  return join(dataDir, "api-key");
}

/** The generated account key, as the file has it; undefined when there is none. */
export function readKeyFile(dataDir: string): string | undefined {
  try {
    return readFileSync(keyFileIn(dataDir), "utf8").trim() || undefined;
  } catch {
    // No file: the key is the operator's, or was never generated.
    return undefined;
  }
}

/**
 * Makes sure that an account key exists: the operator's own, else any that is there, else a generated one, which is
 * written to a file for its owner only. Throws {@link SettingsError} where a key that nobody has seen yet would be all
 * that guards listeners which others can reach.
 */
export async function ensureAccountKey(context: Needs, config: Config): Promise<AccountKey> {
  if (config.apiKey !== null) {
    await keepOwnKey(context, config.apiKey);
    return { kind: "own" };
  }
  const file = keyFileIn(config.dataDir);
  const keys = await context.store.listKeys();
  if (keys.some((key) => key.server === null)) {
    const kept = readKeyFile(config.dataDir);
    const isKnown = kept !== undefined && (await findKey(context, kept)) !== undefined;
    return isKnown ? { kind: "file", file } : { kind: "own" };
  }
  if (!isLoopback(config.bind)) throw new SettingsError([unguarded(config.bind)]);
  const secret = newSecret();
  writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  await addKey(context, { secret, name: "First key", server: null });
  return { kind: "generated", secret, file };
}

/**
 * Makes sure that the wanted servers exist, or at least one; existing ones stay as they are. Answers those that a person
 * should know of, the first of which is the default catch-all. Throws {@link SettingsError} for an unknown catch-all.
 */
export async function ensureServers(context: Needs, config: Config): Promise<readonly [Server, ...Server[]]> {
  const servers = config.servers === null ? await someServers(context) : await wantedServers(context, config.servers);
  const { catchAll } = config;
  const isServer = catchAll !== "first" && catchAll !== "off";
  if (isServer && (await context.store.getServer(catchAll)) === undefined) {
    throw new SettingsError([`RESTANTE_CATCH_ALL: there is no server ${catchAll}; name it in RESTANTE_SERVERS too`]);
  }
  return servers;
}

/**
 * Makes sure that the wanted numbers belong to their servers, and that no number's secrets lie readable in the store;
 * otherwise numbers stay as they are. Throws {@link SettingsError}
 * for an unknown server.
 */
export async function ensureNumbers(context: Needs & Pick<Context, "settings">, { numbers }: Config): Promise<void> {
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
  await sealKeptSecrets(context);
}

async function keepOwnKey(context: Needs, secret: string): Promise<void> {
  const hash = hashKey(context.secrets, secret);
  if ((await findKey(context, secret)) === undefined) {
    await addKey(context, { secret, name: operatorKeyName, server: null });
  }
  for (const key of await context.store.listKeys()) {
    if (key.name === operatorKeyName && key.server === null && key.hash !== hash) await context.store.removeKey(key.id);
  }
}

async function someServers(context: Needs): Promise<readonly [Server, ...Server[]]> {
  const oldestFirst = (await context.store.listServers()).toSorted((a, b) => a.createdAt - b.createdAt);
  const [first, ...others] = oldestFirst;
  if (first !== undefined) return [first, ...others];
  return [await addServer(context, { id: newServerId(), name: "Default", expiresAt: null })];
}

async function wantedServers(
  context: Needs,
  wanted: NonNullable<Config["servers"]>,
): Promise<readonly [Server, ...Server[]]> {
  const servers = [];
  for (const { id, name } of wanted) servers.push(await ensureServer(context, id, name));
  return servers as [Server, ...Server[]];
}

async function ensureServer(context: Needs, id: ServerId, name: string): Promise<Server> {
  return (await context.store.getServer(id)) ?? addServer(context, { id, name, expiresAt: null });
}

function unguarded(bind: string): string {
  return `RESTANTE_BIND: others could reach ${bind} before anyone knows the API key; set RESTANTE_API_KEY, or start once on 127.0.0.1 to be shown a generated one`;
}
