import type { ApiKey, Principal } from "../../../core/api-key.ts";
import { Problem } from "../../../core/errors.ts";
import type { AccountContext, Context } from "../../context.ts";
import { hashKey } from "./key-hash.ts";
import { coversPrincipal, principalOfOpenKey, principalOfOwnedKey } from "./principals.ts";
import { judge, subjectOf } from "./throttle.ts";

/** Valid key, its stored hash and its principal. */
interface FoundKey {
  readonly key: ApiKey;
  readonly hash: string;
  readonly principal: Principal;
}

/**
 * Returns the key with this secret; undefined for an unknown, revoked or expired one, for a former secret whose grace
 * period has expired, and for one whose owner has no access any more. `hash` is that of {@link hashKey}.
 */
export async function findKey(
  context: AccountContext,
  secret: string,
  hash: string = hashKey(context.secrets, secret),
): Promise<FoundKey | undefined> {
  return await openKey(context, hash);
}

async function openKey(context: AccountContext, hash: string): Promise<FoundKey | undefined> {
  const key = await context.store.findKey(hash);
  if (key === undefined) return undefined;
  const expiresAt = endOf(key, hash);
  if (expiresAt !== null && context.clock.now() >= expiresAt) return undefined;
  const principal = key.owner === null ? principalOfOpenKey(key) : await principalOfOwnedKey(context, key);
  return principal && { key, hash, principal: { ...principal, expiresAt } };
}

/** Returns the principal of the key with this hash; undefined as {@link findKey}. */
export async function openPrincipal(context: AccountContext, hash: string): Promise<Principal | undefined> {
  return (await openKey(context, hash))?.principal;
}

/** Returns whether the key with this hash still gives every access that its principal had. */
export async function isKeyOpen(context: AccountContext, hash: string, principal: Principal): Promise<boolean> {
  return coversPrincipal(await openPrincipal(context, hash), principal);
}

function endOf({ expiresAt, former }: ApiKey, hash: string): number | null {
  if (former?.hash !== hash) return expiresAt;
  return Math.min(former.until, expiresAt ?? former.until);
}

/** API key of a request, and the address of the client. */
export interface Credentials {
  readonly key: string;
  readonly clientAddress: string;
  /** Hash of the key, if it is known already; see {@link hashKey}. */
  readonly hash?: string;
}

/** Principal, and the stored hash of its key. */
interface AuthenticatedKey {
  readonly principal: Principal;
  readonly keyHash: string;
}

/**
 * Returns the principal of a key. Rejects with `unauthenticated` for a key that is unknown, revoked, expired or used from
 * an address outside its networks; with `too_many_requests` past the key's rate limit, and as {@link judge} does after too
 * many wrong keys from an address.
 */
export async function authenticate(
  context: Context,
  { key, clientAddress, hash = hashKey(context.secrets, key) }: Credentials,
): Promise<AuthenticatedKey> {
  const { wrongSecrets, keyGuard } = context;
  const attempt = { subjects: [subjectOf(clientAddress)], hash } as const;
  const found = await judge(wrongSecrets, attempt, async () => {
    const one = await findKey(context, key, hash);
    return one !== undefined && keyGuard.allowsAddress(one.key, clientAddress) ? one : undefined;
  });
  if (found === undefined) throw new Problem("unauthenticated");
  keyGuard.admit(found.key);
  return { principal: found.principal, keyHash: found.hash };
}

/**
 * Calls `notify` whenever the principal may have lost access, on any node: its key was revoked or rotated, a session was
 * closed, or its key expires within `withinMs`. The returned function unsubscribes.
 */
export function watchKeyValidity(
  { clock, revocations }: Context,
  { keyId, expiresAt = null }: Principal,
  { notify, withinMs }: { readonly notify: () => void; readonly withinMs: number },
): () => void {
  const unsubscribe = revocations.subscribe((ended) => {
    if (ended === null || ended === keyId) notify();
  });
  const leftMs = expiresAt === null ? Infinity : expiresAt - clock.now();
  const cancel = leftMs > withinMs ? undefined : clock.after(Math.max(0, leftMs), notify);
  return () => {
    unsubscribe();
    cancel?.();
  };
}
