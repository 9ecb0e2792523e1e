/** Report at start of secrets that were encrypted with another secret key. */
import type { Context } from "../operations/context.ts";
import { countForeignKeys } from "../operations/services/security/key-hash.ts";
import { countForeignPasswords } from "../operations/services/security/server-passwords.ts";
import type { Log } from "./log/log.ts";

const foreignKeysMessage =
  "API keys were hashed with another secret key and are invalid: restore RESTANTE_SECRET_KEY or the file secret-key, or revoke these keys and create new ones";

const foreignPasswordsMessage =
  "SMTP passwords of servers were encrypted with another secret key and are invalid: restore RESTANTE_SECRET_KEY or the file secret-key, or reset these passwords";

/** Logs how many API keys and SMTP passwords another secret key hashed or encrypted. */
export async function reportForeignSecrets(
  { store, secrets }: Pick<Context, "store" | "secrets">,
  log: Pick<Log, "error">,
): Promise<void> {
  const keys = await countForeignKeys(store, secrets);
  if (keys > 0) log.error({ keys }, foreignKeysMessage);
  const servers = await countForeignPasswords(store, secrets);
  if (servers > 0) log.error({ servers }, foreignPasswordsMessage);
}
