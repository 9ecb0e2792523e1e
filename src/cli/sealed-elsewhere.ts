import { randomBytes } from "node:crypto";
import type { Config } from "../app/config.ts";
import { findSecretKey } from "../app/secret-key.ts";
import { isOwnHash } from "../operations/key-hash.ts";
import { openNumberSecrets } from "../operations/number-secrets.ts";
import { createSecretBox } from "../operations/secret-box.ts";
import type { Store } from "../store/store.ts";

/** Says how many secrets the service could not open with the key of these settings; "" where it can open all. */
export async function warnOfSeals(
  store: Pick<Store, "phoneNumbers" | "listDevices" | "listKeys">,
  config: Pick<Config, "dataDir" | "secretKey">,
): Promise<string> {
  const key = findSecretKey(config);
  // No key opens as little as any other.
  const secrets = createSecretBox(key ?? randomBytes(32));
  const devices = await store.listDevices();
  const numbers = await store.phoneNumbers.listPhoneNumbers();
  const foreignKeys = (await store.listKeys()).filter(({ hash }) => !isOwnHash(secrets, hash)).length;
  const count =
    foreignKeys +
    devices.filter(({ id, sealedSecret }) => secrets.open(sealedSecret, id) === undefined).length +
    numbers.filter((number) => openNumberSecrets({ secrets }, number) === undefined).length;
  if (count === 0) return "";
  const what = count === 1 ? "1 key, device or phone number was" : `${count} keys, devices and phone numbers were`;
  return `${what} sealed or hashed with a secret key that is not the one here: start the service with the RESTANTE_SECRET_KEY of the one they come from, or base64: and its file secret-key.\n`;
}
