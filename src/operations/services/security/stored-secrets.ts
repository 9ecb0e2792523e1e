/** Secrets in the store: sealed passwords of servers, secrets of phone numbers and keys that sign tokens; hashed API keys. */
import { hash } from "node:crypto";
import type { ServerId } from "../../../core/ids.ts";
import type { Store } from "../../../store/store.ts";
import type { SecretBox } from "./secret-box.ts";
import type { NumberSecrets, OwnedNumber } from "../../../core/phone-number.ts";
import { createSigningIdentity, type SigningIdentity } from "../../../providers/formats/signing-identity.ts";
import type { StoredProviderObject } from "../../../store/provider-object-store.ts";
import type { Context } from "../../context.ts";

/** Encryption with the secret key of the service. */
type Box = Pick<SecretBox, "seal" | "open">;

/** Prefix of sealed passwords. */
const sealedPrefix = "sealed:";

/** Returns the stored form of a server's password: `sealed:` and the base64url of the secret box's bytes. */
export function sealServerPassword(box: Box, id: ServerId, password: string): string {
  return `${sealedPrefix}${Buffer.from(box.seal(password, ownerOf(id))).toString("base64url")}`;
}

/** Returns the password of its stored form; undefined when it was sealed with another secret key or for another server, or is not sealed. */
export function openServerPassword(box: Box, id: ServerId, stored: string): string | undefined {
  if (!stored.startsWith(sealedPrefix)) return undefined;
  return box.open(Buffer.from(stored.slice(sealedPrefix.length), "base64url"), ownerOf(id));
}

/** Returns the number of servers whose password was sealed with another secret key, and is invalid. */
export async function countForeignPasswords(
  store: Pick<Store, "listServers" | "getServerPassword">,
  box: Box,
): Promise<number> {
  let count = 0;
  for (const { id } of await store.listServers()) {
    const stored = await store.getServerPassword(id);
    if (stored !== undefined && openServerPassword(box, id, stored) === undefined) count += 1;
  }
  return count;
}

/** Binds a sealed password to its server, so that it opens nothing when it is copied to another one. */
function ownerOf(id: ServerId): string {
  return `server password ${id}`;
}

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

/** Lifetime of a key. Objects that expire are in no export. */
const lifetimeMs = 365 * 86_400_000;

/**
 * Returns the key that signs tokens of a provider, the same on every node; makes it on the first call, and anew when it has
 * expired or the secret key of the service was replaced.
 */
export async function openSigningIdentity(context: Context, provider: string): Promise<SigningIdentity> {
  const { store, clock, secrets } = context;
  const place = { provider, server: null, kind: "signing identity", id: "current" } as const;
  const owner = `signing identity of ${provider}`;
  for (;;) {
    const now = clock.now();
    const stored = await store.providerObjects.getObject(place, now);
    const known = stored === undefined ? undefined : secrets.open(sealedIn(stored), owner);
    if (known !== undefined) return JSON.parse(known) as SigningIdentity;
    const made = await createSigningIdentity(provider);
    const json = JSON.stringify(Buffer.from(secrets.seal(JSON.stringify(made), owner)).toString("base64"));
    const change = { json, version: stored?.version ?? 0, expiresAt: now + lifetimeMs, now, countMax: 10 };
    // Another node may have stored its key meanwhile.
    if (await store.providerObjects.putObject({ ...place, ...change })) return made;
  }
}

function sealedIn({ json }: StoredProviderObject): Uint8Array {
  return Buffer.from(String(JSON.parse(json)), "base64");
}

// Hashes of API keys: an HMAC with the service's secret key, so that a database or a backup alone reveals no key.

type MacBox = Pick<SecretBox, "mac">;

const purpose = "api key";
const markBytes = 4;
/** Prefix of the hashes with each secret key. */
const prefixes = new WeakMap<MacBox, string>();
/** Latest hashes with each secret key, by the hash that they seal: most requests have the key of an earlier one. */
const latest = new WeakMap<MacBox, Map<string, string>>();
const latestCountMax = 1000;

/**
 * Returns the stored hash of a key: `hmac:`, a fingerprint of the secret key (8 hex digits), `:`, and the HMAC-SHA-256 of
 * the key's SHA-256. It is deterministic, so keys are found by an index; callers cannot choose hashes, so the lookup leaks
 * nothing by its timing. Keys are random, so a slow hash is not needed.
 */
export function hashKey(box: MacBox, key: string): string {
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
export async function countForeignKeys(store: Pick<Store, "listKeys">, box: MacBox): Promise<number> {
  const own = prefixOf(box);
  return (await store.listKeys()).filter(({ hash: stored }) => !stored.startsWith(own)).length;
}

function prefixOf(box: MacBox): string {
  const known = prefixes.get(box);
  if (known !== undefined) return known;
  const prefix = `hmac:${box.mac("", `${purpose} mark`).toString("hex", 0, markBytes)}:`;
  prefixes.set(box, prefix);
  return prefix;
}
