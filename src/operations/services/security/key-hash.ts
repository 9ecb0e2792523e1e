/** Hashes of API keys: an HMAC with the service's secret key, so that a database or a backup alone reveals no key. */
import { hash } from "node:crypto";
import type { Store } from "../../../store/store.ts";
import type { SecretBox } from "./secret-box.ts";

type Box = Pick<SecretBox, "mac">;

const purpose = "api key";
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
  const plain = hash("sha256", key, "hex");
  const known = latest.get(box) ?? new Map<string, string>();
  const cached = known.get(plain);
  if (cached !== undefined) return cached;
  const sealed = `${prefixOf(box)}${box.mac(plain, purpose).toString("hex")}`;
  if (known.size >= latestCountMax) known.clear();
  latest.set(box, known.set(plain, sealed));
  return sealed;
}

/** Returns the number of keys that were hashed with another secret key, and are invalid. */
export async function countForeignKeys(store: Pick<Store, "listKeys">, box: Box): Promise<number> {
  const own = prefixOf(box);
  return (await store.listKeys()).filter(({ hash: stored }) => !stored.startsWith(own)).length;
}

function prefixOf(box: Box): string {
  const known = prefixes.get(box);
  if (known !== undefined) return known;
  const prefix = `hmac:${box.mac("", `${purpose} mark`).toString("hex", 0, markBytes)}:`;
  prefixes.set(box, prefix);
  return prefix;
}
