/** The key that seals secrets in the database. */
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./settings/config.ts";

const keyBytes = 32;

/** In front of the content of a file `secret-key`, in the place of a key of the operator's own. */
const fileKeyPrefix = "base64:";

/**
 * The operator's own key, which may be that of another data folder (`base64:` and what its file holds), else the one in the file `secret-key` of the data folder, which is made for its owner only when
 * it is not there. Throws an `Error` for the operator when the file holds no key: making a new one would lose what the
 * old one has sealed.
 */
export function ensureSecretKey(config: Pick<Config, "dataDir" | "secretKey">): Uint8Array {
  return findSecretKey(config) ?? makeKey(fileIn(config.dataDir));
}

/** As {@link ensureSecretKey}, but undefined where a key would have to be made. */
export function findSecretKey({ dataDir, secretKey }: Pick<Config, "dataDir" | "secretKey">): Uint8Array | undefined {
  if (secretKey !== null) return readOwnKey(secretKey);
  const file = fileIn(dataDir);
  const kept = readKey(file);
  if (kept === undefined) return undefined;
  const key = Buffer.from(kept, "base64");
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
