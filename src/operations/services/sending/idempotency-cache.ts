import type { MessageId } from "../../../core/ids.ts";

/** Requests in progress, by scope and key. */
export type IdempotencyCache = Map<string, { readonly fingerprint: string; readonly message: Promise<MessageId> }>;
