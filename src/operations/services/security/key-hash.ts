/** Hashes of API keys: an HMAC with the service's secret key, so that a database or a backup alone reveals no key. */
import { hash } from "node:crypto";
import type { Context } from "../../context.ts";
import type { SecretBox } from "./secret-box.ts";

type Box = Pick<SecretBox, "mac">;

const purpose = "api key";
const plainHash = /^[0-9a-f]{64}$/;
const markBytes = 4;
/** Prefix of the hashes with each secret key. */
const prefixes = new WeakMap<Box, string>();
/** Latest hashes with each secret key, by the hash that they seal: most requests have the key of an earlier one. */
const latest = new WeakMap<Box, Map<string, string>>();
const latestCountMax = 1000;

/**
 * Returns the stored hash of a key: `hmac:`, a fingerprint of the secret key (8 hex digits), `:`, and the HMAC-SHA-256 of
 * the key's SHA-256. It is deterministic, so keys are found by an index; callers cannot choose hashes, so the lookup leaks
 * nothing by its timing. Keys are random, so a slow hash is not needed.
 */
export function hashKey(box: Box, key: string): string {
  return sealHash(box, plainHashOf(key));
}

/** Returns the lower-case hex SHA-256 of a key, which older versions stored. */
export function plainHashOf(key: string): string {
  return hash("sha256", key, "hex");
}

/** Returns whether a stored hash belongs to this secret key; false for hashes with another one. */
export function isOwnHash(box: Box, stored: string): boolean {
  return plainHash.test(stored) || stored.startsWith(prefixOf(box));
}

/** Replaces hashes of older versions by HMACs; returns the number of keys hashed with another secret key. */
export async function sealKeyHashes({ store, secrets }: Pick<Context, "store" | "secrets">): Promise<number> {
  let foreignCount = 0;
  for (const { id, hash: stored } of await store.listKeys()) {
    if (plainHash.test(stored)) await store.rehashKey(id, sealHash(secrets, stored));
    else if (!isOwnHash(secrets, stored)) foreignCount += 1;
  }
  return foreignCount;
}

function sealHash(box: Box, plain: string): string {
  const known = latest.get(box) ?? new Map<string, string>();
  const cached = known.get(plain);
  if (cached !== undefined) return cached;
  const sealed = `${prefixOf(box)}${box.mac(plain, purpose).toString("hex")}`;
  if (known.size >= latestCountMax) known.clear();
  latest.set(box, known.set(plain, sealed));
  return sealed;
}

function prefixOf(box: Box): string {
  const known = prefixes.get(box);
  if (known !== undefined) return known;
  const prefix = `hmac:${box.mac("", `${purpose} mark`).toString("hex", 0, markBytes)}:`;
  prefixes.set(box, prefix);
  return prefix;
}
