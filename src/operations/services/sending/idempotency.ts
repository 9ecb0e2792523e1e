/** Requests with an `Idempotency-Key`: a repeat returns the result of the first one. */
import { createHash } from "node:crypto";
import type { Principal } from "../../../core/api-key.ts";
import { invalidField, Problem } from "../../../core/errors.ts";
import { mainTurns } from "../../../core/shared-turns.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { IdempotentRequest as StoredRequest } from "../../../store/permission-stores.ts";
import type { Context } from "../../context.ts";

/** Idempotent request, before its message has an id. */
export type IdempotencyTicket = Omit<StoredRequest, "message">;

/** Request with an optional `Idempotency-Key`. */
export interface IdempotentRequest {
  /** API key and operation; equal keys of different scopes are unrelated. */
  readonly scope: string;
  /** Value of the header; null without one. */
  readonly key: string | null;
  /** Target and body, which must be equal in a repeat. */
  readonly content: unknown;
}

/** Returns the scope of an operation of a key. */
export function scopeOf(principal: Principal, operation: string): string {
  return `${principal.keyId} ${operation}`;
}

/** Milliseconds for which a repeat is recognised. */
export const repeatMsMax: number = 24 * 3_600_000;
const keyLengthMax = 255;

/**
 * Returns the message of the first request with the same key and scope within 24 hours; else the result of `make`, which
 * concurrent requests share. Rejects with `conflict` when the key was used with another request, with a 400 for a key that
 * is too long.
 */
export async function runOnce(
  context: Context,
  { scope, key, content }: IdempotentRequest,
  make: (ticket: IdempotencyTicket | null) => Promise<MessageId>,
): Promise<MessageId> {
  if (key === null || key === "") return make(null);
  if (key.length > keyLengthMax) {
    throw invalidField("Idempotency-Key", `At most ${String(keyLengthMax)} characters`, "too_long");
  }
  const fingerprint = await fingerprintOf(content);
  const ticket: IdempotencyTicket = { scope, key, fingerprint, at: context.clock.now() };
  const name = JSON.stringify([scope, key]);
  const underWay = context.repeats.get(name);
  if (underWay !== undefined) return underWay.message.finally(() => checkSame(underWay.fingerprint, ticket));
  const message = findOrMake(context, ticket, make).finally(() => context.repeats.delete(name));
  context.repeats.set(name, { fingerprint, message });
  return message;
}

/** Bytes that are hashed in about a millisecond. */
const hashedAtOnceBytes = 256 * 1024;

/** Returns the SHA-256 of the JSON of a value; leaves turns of the event loop to others when it is long. */
async function fingerprintOf(content: unknown): Promise<string> {
  const json = Buffer.from(JSON.stringify(content));
  const hash = createHash("sha256");
  for (let start = 0; start < json.length; start += hashedAtOnceBytes) {
    if (start > 0) await mainTurns.next();
    hash.update(json.subarray(start, start + hashedAtOnceBytes));
  }
  return hash.digest("hex");
}

async function findOrMake(
  context: Context,
  ticket: IdempotencyTicket,
  make: (ticket: IdempotencyTicket) => Promise<MessageId>,
): Promise<MessageId> {
  const { idempotency } = context.store;
  const first = await idempotency.findIdempotentRequest(ticket.scope, ticket.key);
  if (first !== undefined && first.at > ticket.at - repeatMsMax) return resultOf(first, ticket);
  if (first !== undefined) await idempotency.deleteIdempotentRequests(ticket.at - repeatMsMax + 1);
  try {
    return await make(ticket);
  } catch (error) {
    // Another process was faster.
    const other = await idempotency.findIdempotentRequest(ticket.scope, ticket.key);
    if (other === undefined || !(error instanceof Problem) || error.code !== "conflict") throw error;
    return resultOf(other, ticket);
  }
}

function resultOf(first: StoredRequest, ticket: IdempotencyTicket): MessageId {
  checkSame(first.fingerprint, ticket);
  return first.message;
}

function checkSame(fingerprint: string, ticket: IdempotencyTicket): void {
  if (fingerprint === ticket.fingerprint) return;
  throw new Problem("conflict", { text: "This Idempotency-Key was used with another request; use a new key" });
}
