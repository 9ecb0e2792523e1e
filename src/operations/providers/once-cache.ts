/** Requests with an idempotency key that are in progress of this process, by the hash of caller and key. */
export type OnceCache = Map<string, { readonly fingerprint: string; readonly response: Promise<unknown> }>;
