import type { ApiKey, Principal } from "../../../core/api-key.ts";
import { Problem } from "../../../core/errors.ts";
import { clockToleranceSeconds, isSignedToken } from "../../../egress/oidc/verify-token.ts";
import type { AccountContext, Context } from "../../context.ts";
import { hashKey } from "./stored-secrets.ts";
import { coversPrincipal, principalOfOpenKey, principalOfOwnedKey, principalOfUser } from "./principals.ts";
import { judge, subjectOf } from "./throttle.ts";

/** Largest difference between the clocks of an issuer and of this machine, in milliseconds. */
const tokenToleranceMs = clockToleranceSeconds * 1000;

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
  const principal =
    key.owner === null ? principalOfOpenKey(key, expiresAt) : await principalOfOwnedKey(context, key, expiresAt);
  return principal && { key, hash, principal };
}

/** Returns the principal of the key with this hash; undefined as {@link findKey}. */
export async function openPrincipal(context: AccountContext, hash: string): Promise<Principal | undefined> {
  return (await openKey(context, hash))?.principal;
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

/** Caller that a secret identifies. */
export interface AuthenticatedCaller {
  readonly principal: Principal;
  /** Stored hash of the key; null for a token of an issuer. */
  readonly keyHash: string | null;
  /** Returns whether the key or token still gives every access that the principal had. */
  readonly isOpen: (principal: Principal) => Promise<boolean>;
  /** Counts a request. Throws `too_many_requests` past the rate limit of the key. */
  readonly admit: () => void;
}

/**
 * Returns the caller of a secret, on every listener: that of a key, or the user of a token of an OpenID provider. Undefined for a key
 * that is unknown, revoked, expired or used from an address outside its networks, and for a token that is not valid or whose
 * user is unknown or inactive. Rejects with `unavailable` when the provider of a token does not answer.
 */
export async function findCaller(
  context: Context,
  { key, clientAddress, hash = hashKey(context.secrets, key) }: Credentials,
): Promise<AuthenticatedCaller | undefined> {
  const { keyGuard } = context;
  // Most requests have a key, which skips the calls that tokens need.
  const byToken = isSignedToken(key) ? await findTokenCaller(context, key) : undefined;
  if (byToken !== undefined) return byToken;
  const found = await openKey(context, hash);
  if (found === undefined || !keyGuard.allowsAddress(found.key, clientAddress)) return undefined;
  return {
    principal: found.principal,
    keyHash: found.hash,
    isOpen: async (principal) => coversPrincipal(await openPrincipal(context, found.hash), principal),
    admit: () => {
      keyGuard.admit(found.key);
    },
  };
}

/** Returns the user of a token of an OpenID provider; otherwise as {@link findCaller}. */
export async function findTokenCaller(context: Context, secret: string): Promise<AuthenticatedCaller | undefined> {
  const token = await context.issuers.verify(secret);
  if (token === undefined) return undefined;
  const { issuer, subject, expiresAt } = token;
  const find = async (): Promise<Principal | undefined> => {
    if (context.clock.now() >= expiresAt + tokenToleranceMs) return undefined;
    const user = await context.store.people.findUser({ issuer, subject });
    const principal = user && (await principalOfUser(context, user.id));
    return principal && { ...principal, expiresAt: expiresAt + tokenToleranceMs };
  };
  const principal = await find();
  if (principal === undefined) return undefined;
  const isOpen = async (before: Principal): Promise<boolean> => coversPrincipal(await find(), before);
  return { principal, keyHash: null, isOpen, admit: () => undefined };
}

/**
 * Returns the caller of a key or token. Rejects with `unauthenticated` where {@link findCaller} finds none; with
 * `too_many_requests` past the key's rate limit, and as {@link judge} does after too many wrong keys from an address.
 */
export async function authenticate(context: Context, credentials: Credentials): Promise<AuthenticatedCaller> {
  const { key, clientAddress, hash = hashKey(context.secrets, key) } = credentials;
  const attempt = { subjects: [subjectOf(clientAddress)], hash } as const;
  const found = await judge(context.wrongSecrets, attempt, async () => findCaller(context, { ...credentials, hash }));
  if (found === undefined) throw new Problem("unauthenticated");
  found.admit();
  return found;
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
