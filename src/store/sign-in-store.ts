/** The part of the store's contract that remembers who is signed in with a browser. */

/** `token`: opens one session, once. `session`: speaks for its key. */
export type SignInKind = "token" | "session";

/** A secret that a browser holds, and the key that it stands for. */
export interface SignIn {
  /** SHA-256 of the secret, as base64url: the only form in which it is kept. */
  readonly name: string;
  readonly kind: SignInKind;
  /** See `ApiKey.hash`. The store does not look whether there is such a key. */
  readonly keyHash: string;
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number;
  /** As of the last {@link SignInStore.useSignIn}; `openedAt` before the first. */
  readonly usedAt: number;
}

/** Sign-ins, for all nodes. They go with their key. */
export interface SignInStore {
  /**
   * Adds one that was not used yet. Where that makes more than `countMax` of its kind, those that were opened first go,
   * never the new one; of several that are added at the same moment some may stay until the next is. Rejects with
   * `conflict` when the name is taken.
   */
  addSignIn(signIn: Omit<SignIn, "usedAt">, countMax: number): Promise<void>;
  findSignIn(name: string): Promise<SignIn | undefined>;
  /** Moves `usedAt` forward, never back; nothing happens when it is not there. */
  useSignIn(name: string, at: number): Promise<void>;
  /** Removes a token and answers it: of several who ask at once, one gets it. Undefined for sessions too, which stay. */
  takeToken(name: string): Promise<SignIn | undefined>;
  /** False when it is not there. */
  removeSignIn(name: string): Promise<boolean>;
  /** Forgets those that were opened, and those that were last used, before an instant; answers how many. */
  forgetSignIns(before: { readonly openedBefore: number; readonly usedBefore: number }): Promise<number>;
}
