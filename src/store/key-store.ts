/** Contracts of the parts of the store that hold API keys and browser sessions. */
import type { ApiKey } from "../core/api-key.ts";

/** Part of the store that holds API keys. Keys of a server are deleted with it. */
export interface KeyStore {
  /** Adds a key. Rejects with `conflict` when the id or the hash is taken, with `not_found` when its server does not exist. */
  addKey(key: ApiKey): Promise<void>;
  /** Returns all keys, oldest first. */
  listKeys(): Promise<readonly ApiKey[]>;
  /** Returns the key with this hash of its present or former secret, also when either has expired. */
  findKey(hash: string): Promise<ApiKey | undefined>;
  /**
   * Gives a key a new secret. The present secret stays valid until `formerUntil`; with null it is revoked at once with its
   * sign-ins, as an earlier former secret always is. Returns undefined when there is no such key; rejects with `conflict`
   * when the hash is taken.
   */
  rotateKey(id: string, hash: string, formerUntil: number | null): Promise<ApiKey | undefined>;
  /** Moves `lastUsedAt` forward, never back; does nothing when there is no such key. */
  noteKeyUse(id: string, at: number): Promise<void>;
  /** Removes a key with its sign-ins; returns false when there is no such key. */
  removeKey(id: string): Promise<boolean>;
}

/** Contract of the part of the store that holds browser sessions. */

/** `token`: can be exchanged for a session once. `session`: authenticates with its key, or as its user. */
export type SignInKind = "token" | "session";

/** Secret of a browser, and the API key or the user that it stands for. */
export interface SignIn {
  /** SHA-256 of the secret as base64url, the only form in which it is stored. */
  readonly name: string;
  readonly kind: SignInKind;
  /** `ApiKey.hash`; null for a user. The store does not check that the key exists. */
  readonly keyHash: string | null;
  /** Id of the user; null for a key. */
  readonly user: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number;
  /** Instant of the last {@link SignInStore.useSignIn}; `openedAt` before the first. */
  readonly usedAt: number;
}

/** Sign-in to add. */
export interface NewSignIn extends Omit<SignIn, "usedAt"> {
  /** Absent unless the user signed in at an issuer. */
  readonly atIssuer?: IssuerSignIn;
}

/** Session at an OpenID provider that a session of a user comes from. */
export interface IssuerSignIn {
  /** Name of the issuer. */
  readonly issuer: string;
  /** Id of the session at the issuer, which a logout token names; null when it has none. */
  readonly sid: string | null;
  /** Sealed tokens; null when they are not kept. */
  readonly tokens: string | null;
  /** Instant at which the tokens are refreshed next; null for never. */
  readonly refreshAt: number | null;
}

/** Session of a user, with its session at an issuer. */
export interface IssuerSession extends Omit<IssuerSignIn, "refreshAt"> {
  /** Name of the sign-in. */
  readonly name: string;
  readonly user: string;
}

/** Sessions that an issuer has ended: one, or those of a user that were opened before an instant. */
export type EndedSessions =
  | { readonly issuer: string; readonly sid: string }
  | { readonly issuer: string; readonly user: string; readonly openedBefore: number };

/** Sign-ins on all nodes. They are deleted with their key or user. */
export interface SignInStore {
  /**
   * Adds a new sign-in and deletes the oldest ones of its kind, never the new one: above `ofHolderMax` of its key or user, by
   * default `countMax`, and above `countMax` of all. When several are added at the same time, surplus ones may stay until the
   * next is added. Rejects with `conflict` when the name is taken.
   */
  addSignIn(signIn: NewSignIn, countMax: number, ofHolderMax?: number): Promise<void>;
  findSignIn(name: string): Promise<SignIn | undefined>;
  /** Moves `usedAt` forward, never back; does nothing when there is no such sign-in. */
  useSignIn(name: string, at: number): Promise<void>;
  /** Removes a token and returns it to exactly one of several concurrent callers. Returns undefined for sessions, which stay. */
  takeToken(name: string): Promise<SignIn | undefined>;
  /** Removes a sign-in; returns false when there is no such sign-in. */
  removeSignIn(name: string): Promise<boolean>;
  /** Removes the sign-ins of a user; returns their number. */
  removeSignInsOfUser(user: string): Promise<number>;
  /** Returns the session at an issuer that a sign-in comes from; undefined for others. */
  findIssuerSession(name: string): Promise<IssuerSession | undefined>;
  /** Returns up to `countMax` sessions whose refresh is due at `now`, and moves it to `next`: no other caller gets them too. */
  takeRefreshes(due: {
    readonly now: number;
    readonly next: number;
    readonly countMax: number;
  }): Promise<readonly IssuerSession[]>;
  /** Replaces the sealed tokens of a session; does nothing when it has ended. */
  storeTokens(name: string, tokens: string): Promise<void>;
  /** Removes sessions that an issuer has ended; returns their number. */
  removeIssuerSessions(ended: EndedSessions): Promise<number>;
  /** Deletes sign-ins opened, or last used, before the given instants; returns their number. */
  forgetSignIns(before: { readonly openedBefore: number; readonly usedBefore: number }): Promise<number>;
}
