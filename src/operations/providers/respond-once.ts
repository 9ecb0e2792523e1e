/** Idempotency keys of providers' APIs: a repeated request gets the response to the first one. */
import { createHash } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { ProviderObjectKey } from "../../store/provider-object-store.ts";
import type { Context } from "../context.ts";
import type { ProviderCaller } from "./provider-session.ts";

/** Request with an idempotency key. */
interface OnceRequest {
  readonly key: string;
  /** JSON value that must be equal in a repeat. */
  readonly content: unknown;
}

/** Stored record of a request; `response` is absent while it is processed. */
interface OnceRecord {
  readonly fingerprint: string;
  readonly response?: unknown;
}

/** Milliseconds for which a response is kept. */
const keptMs = 24 * 3_600_000;
/** Time limit of a request: afterwards a repeat is processed anew, as after a crash. */
const claimMs = 60_000;
const pollMs = 100;
const kind = "idempotency";
/** Maximum number of responses of one caller's server, or of the account, and provider within a day. */
const recordCountMax = 100_000;

/**
 * Returns the response to the first request of the caller with this key within 24 hours; else that of `respond`, which
 * concurrent requests share, on all nodes. Only responses with a status of 2xx are kept, until 100,000 are. Rejects with
 * `conflict` when the key was used with other content.
 *
 * A process that crashes after `respond` has stored its mail and before its response is recorded leaves a claim that ends
 * after 60 seconds; a repeat after that is processed anew, so that the mail is stored twice. Losing it is impossible.
 */
export async function respondOnce<Result>(
  context: Context,
  caller: ProviderCaller,
  { key, content, respond }: OnceRequest & { readonly respond: () => Promise<Result> },
): Promise<Result> {
  const { provider, principal } = caller;
  const id = hashOf([principal.keyId, key]);
  const fingerprint = hashOf(content ?? null);
  const name = `${provider} ${id}`;
  const underWay = context.onceRequests.get(name);
  if (underWay !== undefined) {
    requireSame(underWay.fingerprint, fingerprint);
    return underWay.response as Promise<Result>;
  }
  const object = { provider, server: principal.server, kind, id };
  const response = claimAndRespond(context, { object, fingerprint, respond });
  context.onceRequests.set(name, { fingerprint, response });
  try {
    return await response;
  } finally {
    context.onceRequests.delete(name);
  }
}

interface Claim<Result> {
  readonly object: ProviderObjectKey;
  readonly fingerprint: string;
  readonly respond: () => Promise<Result>;
}

async function claimAndRespond<Result>(context: Context, claim: Claim<Result>): Promise<Result> {
  const { object, fingerprint, respond } = claim;
  const found = await claimOrRead(context, claim);
  if (found === "unlimited") return respond();
  if (found !== "claimed") return found.response as Result;
  const release = async (): Promise<void> => {
    await report(context, context.store.providerObjects.removeObject(object, context.clock.now()));
  };
  let response: Result;
  try {
    response = await respond();
  } catch (error) {
    await release();
    throw error;
  }
  if (!isSuccess(response)) await release();
  else await report(context, write(context, { object, record: { fingerprint, response }, version: 1 }));
  return response;
}

/** Reports a failed change of a record, which must not fail the request: its mail is stored, and a claim expires. */
async function report({ onceTask }: Context, change: Promise<unknown>): Promise<void> {
  try {
    await change;
    onceTask.succeeded();
  } catch (error) {
    onceTask.failed(error);
  }
}

/** Claims the key, or waits for the response of another node; `unlimited` when no more responses are kept. */
async function claimOrRead<Result>(
  context: Context,
  { object, fingerprint }: Claim<Result>,
): Promise<"claimed" | "unlimited" | { readonly response: unknown }> {
  for (;;) {
    const stored = await context.store.providerObjects.getObject(object, context.clock.now());
    if (stored === undefined) {
      const claimed = await write(context, { object, record: { fingerprint }, version: 0 }).catch(orUnlimited);
      if (claimed !== false) return claimed === true ? "claimed" : claimed;
      continue;
    }
    const record = JSON.parse(stored.json) as OnceRecord;
    requireSame(record.fingerprint, fingerprint);
    if ("response" in record) return { response: record.response };
    await new Promise<void>((resolve) => void context.clock.after(pollMs, resolve));
  }
}

function orUnlimited(error: unknown): "unlimited" {
  if (error instanceof Problem && error.code === "limit_reached") return "unlimited";
  throw error;
}

async function write(
  { store, clock }: Context,
  { object, record, version }: { object: ProviderObjectKey; record: OnceRecord; version: number },
): Promise<boolean> {
  const now = clock.now();
  const expiresAt = now + ("response" in record ? keptMs : claimMs);
  const json = JSON.stringify(record);
  return store.providerObjects.putObject({ ...object, json, version, now, expiresAt, countMax: recordCountMax });
}

function isSuccess(response: unknown): boolean {
  const { status = 200 } = (response ?? {}) as { readonly status?: unknown };
  return typeof status === "number" && status >= 200 && status < 300;
}

function requireSame(one: string, other: string): void {
  if (one === other) return;
  throw new Problem("conflict", { text: "This idempotency key was used with another request; use a new key" });
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
