/** Secrets of phone numbers, which are sealed in the store. */
import type { NumberSecrets, OwnedNumber } from "../../../core/owned-number.ts";
import type { Context } from "../../context.ts";

type Box = Pick<Context, "secrets">;

/** First byte of an unsealed secret of older versions; the rest is the signing secret in UTF-8. */
const unsealed = 0;

const none: NumberSecrets = { signing: null, account: null };

/** Returns the sealed secrets for the store; null without secrets. */
export function sealNumberSecrets({ secrets: box }: Box, id: string, secrets: NumberSecrets): Uint8Array | null {
  if (secrets.signing === null && secrets.account === null) return null;
  return box.seal(JSON.stringify(secrets), id);
}

/** Returns the number's secrets; undefined when they were sealed with another secret key. */
export function openNumberSecrets(
  { secrets: box }: Box,
  { id, sealedSecrets }: Pick<OwnedNumber, "id" | "sealedSecrets">,
): NumberSecrets | undefined {
  if (sealedSecrets === null) return none;
  if (sealedSecrets[0] === unsealed) return { signing: textOf(sealedSecrets.subarray(1)), account: null };
  const json = box.open(sealedSecrets, id);
  return json === undefined ? undefined : (JSON.parse(json) as NumberSecrets);
}

/** Seals all secrets that older versions stored unsealed. */
export async function sealStoredNumberSecrets(context: Pick<Context, "store" | "secrets">): Promise<void> {
  const { phoneNumbers } = context.store;
  for (const number of await phoneNumbers.listPhoneNumbers()) {
    if (number.sealedSecrets?.[0] !== unsealed) continue;
    const kept = openNumberSecrets(context, number) ?? none;
    const sealed = sealNumberSecrets(context, number.id, kept);
    if (sealed !== null) await phoneNumbers.setNumberSecrets(number.id, sealed);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
