import { randomBytes } from "node:crypto";
import type { Config } from "../../app/settings/config.ts";
import { findSecretKey } from "../../app/secret-key.ts";
import { countForeignKeys } from "../../operations/services/security/key-hash.ts";
import { openNumberSecrets } from "../../operations/services/security/number-secrets.ts";
import { createSecretBox } from "../../operations/services/security/secret-box.ts";
import { countForeignPasswords } from "../../operations/services/security/server-passwords.ts";
import type { Store } from "../../store/store.ts";

/** Returns a warning with the number of secrets that another secret key encrypted; "" when there are none. */
export async function foreignSecretsWarning(
  store: Pick<Store, "phoneNumbers" | "listDevices" | "listKeys" | "listServers" | "getServerPassword">,
  config: Pick<Config, "dataDir" | "secretKey">,
): Promise<string> {
  const key = findSecretKey(config);
  // Without a key, no secret can be decrypted, as with a random one.
  const secrets = createSecretBox(key ?? randomBytes(32));
  const devices = await store.listDevices();
  const numbers = await store.phoneNumbers.listPhoneNumbers();
  const count =
    (await countForeignKeys(store, secrets)) +
    (await countForeignPasswords(store, secrets)) +
    devices.filter(({ id, sealedSecret }) => secrets.open(sealedSecret, id) === undefined).length +
    numbers.filter((number) => openNumberSecrets({ secrets }, number) === undefined).length;
  if (count === 0) return "";
  const subject =
    count === 1
      ? "1 key, server password, device or phone number was"
      : `${count} keys, server passwords, devices and phone numbers were`;
  return `${subject} encrypted or hashed with another secret key: start the service with the RESTANTE_SECRET_KEY of the original service, or with base64: followed by the content of its file secret-key.\n`;
}
