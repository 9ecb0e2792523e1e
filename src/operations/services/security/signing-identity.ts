/** Keys of the service that sign tokens of providers. */
import { createSigningIdentity, type SigningIdentity } from "../../../providers/formats/signing-identity.ts";
import type { StoredProviderObject } from "../../../store/provider-object-store.ts";
import type { Context } from "../../context.ts";

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
