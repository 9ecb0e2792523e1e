/** The secrets of phone numbers, which lie sealed in the store. */
import type { NumberSecrets, OwnedNumber } from "../../../core/owned-number.ts";
import type { Context } from "../../context.ts";

type Box = Pick<Context, "secrets">;

/** First byte of a secret that was kept before secrets were sealed: what follows is the one for signing, in UTF-8. */
const unsealed = 0;

const none: NumberSecrets = { signing: null, account: null };

/** The secrets as the store keeps them; null where there are none. */
export function sealNumberSecrets({ secrets: box }: Box, id: string, secrets: NumberSecrets): Uint8Array | null {
  if (secrets.signing === null && secrets.account === null) return null;
  return box.seal(JSON.stringify(secrets), id);
}

/** The number's secrets; undefined where another key sealed them than the service has now. */
export function openNumberSecrets(
  { secrets: box }: Box,
  { id, sealedSecrets }: Pick<OwnedNumber, "id" | "sealedSecrets">,
): NumberSecrets | undefined {
  if (sealedSecrets === null) return none;
  if (sealedSecrets[0] === unsealed) return { signing: textOf(sealedSecrets.subarray(1)), account: null };
  const json = box.open(sealedSecrets, id);
  return json === undefined ? undefined : (JSON.parse(json) as NumberSecrets);
}

/** Seals what was kept before secrets were sealed; resolves when none of it is left. */
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
