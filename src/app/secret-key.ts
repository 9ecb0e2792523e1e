/** Key that encrypts secrets in the database. */
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AccountContext } from "../operations/context.ts";
import { countForeignKeys, countForeignPasswords } from "../operations/services/security/stored-secrets.ts";
import type { Log } from "./log/log.ts";
import type { Config } from "./settings/config.ts";

const keyBytes = 32;

/** Prefix of a setting that holds the content of a file `secret-key`. */
const fileKeyPrefix = "base64:";

/**
 * Returns the key of RESTANTE_SECRET_KEY, which may be that of another data folder (`base64:` and the content of its file),
 * else the key in the file `secret-key`, which is created with mode 0600 when it is missing. Throws an `Error` for the
 * operator when the file does not contain a key: a new one could not decrypt existing secrets.
 */
export function ensureSecretKey(config: Pick<Config, "dataDir" | "secretKey">): Uint8Array {
  return findSecretKey(config) ?? makeKey(fileIn(config.dataDir));
}

/** Returns the key as {@link ensureSecretKey} does, or undefined when there is none. */
export function findSecretKey({ dataDir, secretKey }: Pick<Config, "dataDir" | "secretKey">): Uint8Array | undefined {
  if (secretKey !== null) return readOwnKey(secretKey);
  const file = fileIn(dataDir);
  const text = readKey(file);
  if (text === undefined) return undefined;
  const key = Buffer.from(text, "base64");
  if (key.length === keyBytes) return key;
  throw new Error(
    `${file} does not hold a key of ${keyBytes} bytes in base64; restore it, or remove it and lose the API keys, SMTP passwords, devices and phone numbers that it opens`,
  );
}

function fileIn(dataDir: string): string {
  return join(dataDir, "secret-key");
}

function readOwnKey(text: string): Uint8Array {
  const fileKey = Buffer.from(text.startsWith(fileKeyPrefix) ? text.slice(fileKeyPrefix.length) : "", "base64");
  return fileKey.length === keyBytes ? fileKey : Buffer.from(text, "utf8");
}

function makeKey(file: string): Uint8Array {
  const key = randomBytes(keyBytes);
  writeFileSync(`${file}.new`, `${key.toString("base64")}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return key;
}

function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

// Report at start of secrets that were encrypted with another secret key.

const foreignKeysMessage =
  "API keys were hashed with another secret key and are invalid: restore RESTANTE_SECRET_KEY or the file secret-key, or revoke these keys and create new ones";

const foreignPasswordsMessage =
  "SMTP passwords of servers were encrypted with another secret key and are invalid: restore RESTANTE_SECRET_KEY or the file secret-key, or reset these passwords";

/** Logs how many API keys and SMTP passwords another secret key hashed or encrypted. */
export async function reportForeignSecrets({ store, secrets }: AccountContext, log: Pick<Log, "error">): Promise<void> {
  const keys = await countForeignKeys(store, secrets);
  if (keys > 0) log.error({ keys }, foreignKeysMessage);
  const servers = await countForeignPasswords(store, secrets);
  if (servers > 0) log.error({ servers }, foreignPasswordsMessage);
}
