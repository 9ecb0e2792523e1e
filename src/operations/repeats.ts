/** Requests that carry an `Idempotency-Key`: a repeat is answered with what the first one made. */
import { createHash } from "node:crypto";
import type { Principal } from "../core/api-key.ts";
import { invalidField, Problem } from "../core/errors.ts";
import type { MessageId } from "../core/ids.ts";
import type { Repeatable } from "../store/permission-stores.ts";
import type { Context } from "./context.ts";

/** A repeatable request, before its message has an id. */
export type RepeatTicket = Omit<Repeatable, "message">;

/** What is under way, by scope and key. */
export type Repeats = Map<string, { readonly fingerprint: string; readonly message: Promise<MessageId> }>;

/** What a request asks for. */
export interface RepeatRequest {
  readonly operation: string;
  /** As the caller chose it; null where it chose none. */
  readonly key: string | null;
  /** Everything that makes it the same request: target and body. */
  readonly content: unknown;
}

/** How long a repeat is recognised. */
export const repeatMsMax: number = 24 * 3_600_000;
const keyLengthMax = 255;

/**
 * The message of the first request with the same key, operation and API key within 24 hours; else what `make` makes.
 * Requests at the same time share one making. Rejects with `conflict` when the key came with another request before,
 * with a 400 for a key that is too long.
 */
export async function makeOnce(
  context: Pick<Context, "store" | "clock" | "repeats">,
  asker: { readonly principal: Principal; readonly request: RepeatRequest },
  make: (ticket: RepeatTicket | null) => Promise<MessageId>,
): Promise<MessageId> {
  const { operation, key, content } = asker.request;
  if (key === null || key === "") return make(null);
  if (key.length > keyLengthMax) {
    throw invalidField("Idempotency-Key", `At most ${String(keyLengthMax)} characters`, "too_long");
  }
  const fingerprint = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const ticket: RepeatTicket = {
    scope: `${asker.principal.keyId} ${operation}`,
    key,
    fingerprint,
    at: context.clock.now(),
  };
  const name = JSON.stringify([ticket.scope, key]);
  const underWay = context.repeats.get(name);
  if (underWay !== undefined) return underWay.message.finally(() => checkSame(underWay.fingerprint, ticket));
  const message = findOrMake(context, ticket, make).finally(() => context.repeats.delete(name));
  context.repeats.set(name, { fingerprint, message });
  return message;
}

async function findOrMake(
  context: Pick<Context, "store">,
  ticket: RepeatTicket,
  make: (ticket: RepeatTicket) => Promise<MessageId>,
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

function resultOf(first: Repeatable, ticket: RepeatTicket): MessageId {
  checkSame(first.fingerprint, ticket);
  return first.message;
}

function checkSame(fingerprint: string, ticket: RepeatTicket): void {
  if (fingerprint === ticket.fingerprint) return;
  throw new Problem("conflict", { text: "This Idempotency-Key came with another request before" });
}
