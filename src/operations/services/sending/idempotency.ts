/** Requests that carry an `Idempotency-Key`: a repeat is answered with what the first one made. */
import { createHash } from "node:crypto";
import type { Principal } from "../../../core/api-key.ts";
import { invalidField, Problem } from "../../../core/errors.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { Repeatable } from "../../../store/permission-stores.ts";
import type { Context } from "../../context.ts";

/** A repeatable request, before its message has an id. */
export type IdempotencyTicket = Omit<Repeatable, "message">;

/** What is under way, by scope and key. */
export type IdempotencyCache = Map<string, { readonly fingerprint: string; readonly message: Promise<MessageId> }>;

/** What a request asks for. */
export interface IdempotentRequest {
  /** Who asks for what; keys of other scopes are others. */
  readonly scope: string;
  /** As the caller chose it; null where it chose none. */
  readonly key: string | null;
  /** Everything that makes it the same request: target and body. */
  readonly content: unknown;
}

/** The scope of an operation that a key asks for. */
export function scopeOf(principal: Principal, operation: string): string {
  return `${principal.keyId} ${operation}`;
}

/** How long a repeat is recognised. */
export const repeatMsMax: number = 24 * 3_600_000;
const keyLengthMax = 255;

/**
 * The message of the first request with the same key and scope within 24 hours; else what `make` makes.
 * Requests at the same time share one making. Rejects with `conflict` when the key came with another request before,
 * with a 400 for a key that is too long.
 */
export async function runOnce(
  context: Pick<Context, "store" | "clock" | "repeats">,
  { scope, key, content }: IdempotentRequest,
  make: (ticket: IdempotencyTicket | null) => Promise<MessageId>,
): Promise<MessageId> {
  if (key === null || key === "") return make(null);
  if (key.length > keyLengthMax) {
    throw invalidField("Idempotency-Key", `At most ${String(keyLengthMax)} characters`, "too_long");
  }
  const fingerprint = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const ticket: IdempotencyTicket = { scope, key, fingerprint, at: context.clock.now() };
  const name = JSON.stringify([scope, key]);
  const underWay = context.repeats.get(name);
  if (underWay !== undefined) return underWay.message.finally(() => checkSame(underWay.fingerprint, ticket));
  const message = findOrMake(context, ticket, make).finally(() => context.repeats.delete(name));
  context.repeats.set(name, { fingerprint, message });
  return message;
}

async function findOrMake(
  context: Pick<Context, "store">,
  ticket: IdempotencyTicket,
  make: (ticket: IdempotencyTicket) => Promise<MessageId>,
): Promise<MessageId> {
  const { repeatables } = context.store;
  const first = await repeatables.findRepeatable(ticket.scope, ticket.key);
  if (first !== undefined && first.at > ticket.at - repeatMsMax) return resultOf(first, ticket);
  if (first !== undefined) await repeatables.forgetRepeatables(ticket.at - repeatMsMax + 1);
  try {
    return await make(ticket);
  } catch (error) {
    // Another process was faster.
    const other = await repeatables.findRepeatable(ticket.scope, ticket.key);
    if (other === undefined || !(error instanceof Problem) || error.code !== "conflict") throw error;
    return resultOf(other, ticket);
  }
}

function resultOf(first: Repeatable, ticket: IdempotencyTicket): MessageId {
  checkSame(first.fingerprint, ticket);
  return first.message;
}

function checkSame(fingerprint: string, ticket: IdempotencyTicket): void {
  if (fingerprint === ticket.fingerprint) return;
  throw new Problem("conflict", { text: "This Idempotency-Key came with another request before" });
}
