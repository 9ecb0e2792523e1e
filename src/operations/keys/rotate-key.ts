import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { isWholeWithin, newSecret, operatorKeyName, type NewKey } from "./create-key.ts";
import { hashKey } from "../services/security/key-hash.ts";

/** Fields of a rotation. */
export interface Rotation {
  /** Seconds for which the former secret stays valid, 0…2,592,000; one day when absent. */
  readonly graceSeconds?: number;
}

const graceSecondsUsual = 24 * 3600;
const graceSecondsMax = 30 * 24 * 3600;

/**
 * Replaces the secret of a key and returns the new one. Rejects with `forbidden`, with `not_found`, with a 400 on `graceSeconds`, with
 * `conflict` for the key that RESTANTE_API_KEY sets.
 */
export async function rotateKey(
  context: Pick<Context, "store" | "clock" | "revocations" | "secrets">,
  principal: Principal,
  { id, graceSeconds = graceSecondsUsual }: Rotation & { readonly id: string },
): Promise<NewKey> {
  requireAccount(principal);
  if (!isWholeWithin(graceSeconds, 0, graceSecondsMax)) {
    throw invalidField(
      "graceSeconds",
      `A whole number of seconds from 0 to ${String(graceSecondsMax)}`,
      "out_of_range",
    );
  }
  const known = (await context.store.listKeys()).find((key) => key.id === id);
  if (known === undefined) throw notFound("Key");
  if (known.name === operatorKeyName && known.server === null) {
    throw new Problem("conflict", { text: "RESTANTE_API_KEY sets this key; change it there" });
  }
  const secret = newSecret();
  const formerUntil = graceSeconds === 0 ? null : context.clock.now() + graceSeconds * 1000;
  const key = await context.store.rotateKey(id, hashKey(context.secrets, secret), formerUntil);
  if (key === undefined) throw notFound("Key");
  context.revocations.publish(id);
  return { secret, key };
}
