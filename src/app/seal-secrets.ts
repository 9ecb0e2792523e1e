/** Encryption at start of what older versions stored readable. */
import type { Context } from "../operations/context.ts";
import { sealKeyHashes } from "../operations/services/security/key-hash.ts";
import { sealServerPasswords } from "../operations/services/security/server-passwords.ts";
import type { Log } from "./log/log.ts";

const foreignKeysMessage =
  "API keys were hashed with another secret key and are invalid: restore RESTANTE_SECRET_KEY or the file secret-key, or revoke these keys and create new ones";

const foreignPasswordsMessage =
  "SMTP passwords of servers were encrypted with another secret key and are invalid: restore RESTANTE_SECRET_KEY or the file secret-key, or reset these passwords";

/** Seals API keys and SMTP passwords that are stored readable, and logs how many another secret key sealed. */
export async function sealSecrets(context: Pick<Context, "store" | "secrets">, log: Pick<Log, "error">): Promise<void> {
  const keys = await sealKeyHashes(context);
  if (keys > 0) log.error({ keys }, foreignKeysMessage);
  const servers = await sealServerPasswords(context);
  if (servers > 0) log.error({ servers }, foreignPasswordsMessage);
}
