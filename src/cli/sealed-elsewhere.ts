import { randomBytes } from "node:crypto";
import type { Config } from "../app/settings/config.ts";
import { findSecretKey } from "../app/secret-key.ts";
import { isOwnHash } from "../operations/key-hash.ts";
import { openNumberSecrets } from "../operations/number-secrets.ts";
import { createSecretBox } from "../operations/secret-box.ts";
import { openServerPassword } from "../operations/server-passwords.ts";
import type { Store } from "../store/store.ts";

/** Says how many secrets the service could not open with the key of these settings; "" where it can open all. */
export async function warnOfSeals(
  store: Pick<Store, "phoneNumbers" | "listDevices" | "listKeys" | "listServers" | "getServerPassword">,
  config: Pick<Config, "dataDir" | "secretKey">,
): Promise<string> {
  const key = findSecretKey(config);
  // No key opens as little as any other.
  const secrets = createSecretBox(key ?? randomBytes(32));
  const devices = await store.listDevices();
  const numbers = await store.phoneNumbers.listPhoneNumbers();
  const foreignKeys = (await store.listKeys()).filter(({ hash }) => !isOwnHash(secrets, hash)).length;
  let foreignPasswords = 0;
  for (const { id } of await store.listServers()) {
    const stored = await store.getServerPassword(id);
    if (stored !== undefined && openServerPassword(secrets, id, stored) === undefined) foreignPasswords += 1;
  }
  const count =
    foreignKeys +
    foreignPasswords +
    devices.filter(({ id, sealedSecret }) => secrets.open(sealedSecret, id) === undefined).length +
    numbers.filter((number) => openNumberSecrets({ secrets }, number) === undefined).length;
  if (count === 0) return "";
  const what =
    count === 1
      ? "1 key, server password, device or phone number was"
      : `${count} keys, server passwords, devices and phone numbers were`;
  return `${what} sealed or hashed with a secret key that is not the one here: start the service with the RESTANTE_SECRET_KEY of the one they come from, or base64: and its file secret-key.\n`;
}
