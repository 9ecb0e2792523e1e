/** How keys are kept: as an HMAC with the service's secret key, of which a database or a backup alone reveals nothing. */
import { hash } from "node:crypto";
import type { Context } from "../../context.ts";
import type { SecretBox } from "./secret-box.ts";

type Box = Pick<SecretBox, "mac">;

const purpose = "api key";
const plainHash = /^[0-9a-f]{64}$/;
const markBytes = 4;

/**
 * Returns the form in which a key is kept: `hmac:`, a mark of the secret key (8 hex digits), `:`, and the HMAC-SHA-256 of
 * the key's SHA-256. Equal keys give equal hashes, so keys are found by an index; no guess at a key makes a chosen hash, so
 * the look-up tells nothing by its time. Keys are random, so a slow hash would protect nothing more.
 */
export function hashKey(box: Box, key: string): string {
  return sealHash(box, plainHashOf(key));
}

/** Returns the lower-case hex SHA-256 of a key: the form in which older versions kept it. */
export function plainHashOf(key: string): string {
  return hash("sha256", key, "hex");
}

/** Whether a stored hash opens with this secret key; false for hashes made with another one. */
export function isOwnHash(box: Box, stored: string): boolean {
  return plainHash.test(stored) || stored.startsWith(prefixOf(box));
}

/** Puts the HMAC in place of every hash of an older version; returns how many keys were hashed with another secret key. */
export async function sealKeyHashes({ store, secrets }: Pick<Context, "store" | "secrets">): Promise<number> {
  let foreignCount = 0;
  for (const { id, hash: stored } of await store.listKeys()) {
    if (plainHash.test(stored)) await store.rehashKey(id, sealHash(secrets, stored));
    else if (!isOwnHash(secrets, stored)) foreignCount += 1;
  }
  return foreignCount;
}

function sealHash(box: Box, plain: string): string {
  return `${prefixOf(box)}${box.mac(plain, purpose).toString("hex")}`;
}

/** Tells hashes of one secret key from those of another. */
function prefixOf(box: Box): string {
  return `hmac:${box.mac("", `${purpose} mark`).toString("hex", 0, markBytes)}:`;
}
