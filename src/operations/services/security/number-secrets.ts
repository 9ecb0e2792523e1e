/** Secrets of phone numbers, which are sealed in the store. */
import type { NumberSecrets, OwnedNumber } from "../../../core/phone-number.ts";
import type { SecretBox } from "./secret-box.ts";

/** Encryption with the secret key of the service. */
type Box = Pick<SecretBox, "seal" | "open">;
const none: NumberSecrets = { signing: null, account: null };

/** Returns the sealed secrets for the store; null without secrets. */
export function sealNumberSecrets(box: Box, id: string, secrets: NumberSecrets): Uint8Array | null {
  if (secrets.signing === null && secrets.account === null) return null;
  return box.seal(JSON.stringify(secrets), id);
}

/** Returns the number's secrets; undefined when they were sealed with another secret key. */
export function openNumberSecrets(
  box: Box,
  { id, sealedSecrets }: Pick<OwnedNumber, "id" | "sealedSecrets">,
): NumberSecrets | undefined {
  if (sealedSecrets === null) return none;
  const json = box.open(sealedSecrets, id);
  return json === undefined ? undefined : (JSON.parse(json) as NumberSecrets);
}
