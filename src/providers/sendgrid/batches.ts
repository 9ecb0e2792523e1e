/**
 * Batches of scheduled mail, which can be paused and cancelled together:
 * https://www.twilio.com/docs/sendgrid/api-reference/cancel-scheduled-sends
 */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { ProviderObject } from "../email.ts";
import type { ProviderSession } from "../provider.ts";

const kind = "batch";
const dayMs = 24 * 3_600_000;
/** A batch id is valid for ten days. */
const batchLifetimeMs = 10 * dayMs;
/** Paused mail is discarded when it is older. */
const pausedMsMax = 72 * 3_600_000;
/** Mail of a paused or cancelled batch is scheduled so much later, until the batch is resumed or its mail is discarded. */
const holdMs = 365 * dayMs;
/** Scheduled mails of one batch. */
const batchMailCountMax = 10_000;
/** Batches of an account that are paused or cancelled at a time. */
const statusCountMax = 100;
const attemptCountMax = 20;

/** Scheduled mail of a batch; `sendAt` in milliseconds since the Unix epoch. */
export interface BatchMail {
  readonly uuid: string;
  readonly sendAt: number;
}

/** State of a batch. */
export type BatchStatus = "pause" | "cancel";

/** Batch as it is stored. */
export interface Batch {
  /** Null while its mail is sent as scheduled. */
  readonly status: BatchStatus | null;
  readonly mails: readonly BatchMail[];
}

interface StoredBatch extends Batch {
  readonly version: number;
}

/** Creates a batch and returns its id. */
export async function createBatch({ objects }: ProviderSession, now: number): Promise<string> {
  const id = Buffer.from(`${randomUUID()}-${randomUUID().slice(-9)}`).toString("base64url");
  const value: Batch = { status: null, mails: [] };
  await objects.put(kind, id, { value, version: 0, expiresAt: now + batchLifetimeMs });
  return id;
}

/** Returns a batch; undefined for an unknown or expired id. */
export async function findBatch({ objects }: ProviderSession, id: string): Promise<Batch | undefined> {
  return id.length > 200 ? undefined : batchOf(await objects.get(kind, id));
}

function batchOf(object: ProviderObject | undefined): StoredBatch | undefined {
  return object === undefined ? undefined : { ...(object.value as Batch), version: object.version };
}

/** Returns the paused and cancelled batches, after discarding mail that cannot be sent any more. */
export async function listStatuses(
  session: ProviderSession,
  now: number,
): Promise<readonly { readonly id: string; readonly status: BatchStatus }[]> {
  const found: { id: string; status: BatchStatus }[] = [];
  const pageSize = 1000;
  for (let offset = 0; ; offset += pageSize) {
    const page = await session.objects.list(kind, offset);
    for (const { id, value } of page) {
      const batch = value as Batch;
      if (batch.status === null) continue;
      await discardExpired(session, batch, now);
      found.push({ id, status: batch.status });
    }
    if (page.length < pageSize) return found;
  }
}

async function discardExpired(session: ProviderSession, { status, mails }: Batch, now: number): Promise<void> {
  const isExpired = ({ sendAt }: BatchMail): boolean => sendAt + (status === "pause" ? pausedMsMax : 0) < now;
  for (const { uuid } of mails.filter(isExpired)) await unlessArrived(session.cancelEmail(uuid));
}

interface Addition {
  readonly id: string;
  readonly mails: readonly BatchMail[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Adds scheduled mail to a batch, and holds it back when the batch is paused or cancelled. */
export async function addToBatch(session: ProviderSession, { id, mails, now }: Addition): Promise<void> {
  if (mails.length === 0) return;
  const batch = await change(session, { id, now }, ({ status, mails: present }) => {
    const waiting = status === null ? present.filter(({ sendAt }) => sendAt > now) : present;
    return { status, mails: [...waiting, ...mails].slice(-batchMailCountMax) };
  });
  if (batch !== undefined && batch.status !== null) await hold(session, mails);
}

/**
 * Sets or removes the status of a batch, and holds back or releases its mail. Resolves to `no_batch` for an unknown id, to
 * `conflict` when `isAllowed` is false for the present status, and to `limit` above 100 batches with a status.
 */
export async function setStatus(
  session: ProviderSession,
  { id, status, now }: { readonly id: string; readonly status: BatchStatus | null; readonly now: number },
  isAllowed: (present: BatchStatus | null) => boolean,
): Promise<"changed" | "no_batch" | "conflict" | "limit"> {
  const present = await findBatch(session, id);
  if (present === undefined) return "no_batch";
  if (!isAllowed(present.status)) return "conflict";
  const isNew = present.status === null && status !== null;
  if (isNew && (await listStatuses(session, now)).length >= statusCountMax) return "limit";
  let before: Batch = present;
  const after = await change(session, { id, now }, (batch) => {
    before = batch;
    return { ...batch, status };
  });
  if (after === undefined) return "no_batch";
  if (status !== null) await hold(session, after.mails);
  else await release(session, before, now);
  return "changed";
}

async function hold(session: ProviderSession, mails: readonly BatchMail[]): Promise<void> {
  for (const { uuid, sendAt } of mails) await unlessArrived(session.rescheduleEmail(uuid, sendAt + holdMs));
}

/** Schedules mail as it was; mail of a cancelled batch whose instant has passed is discarded. */
async function release(session: ProviderSession, { status, mails }: Batch, now: number): Promise<void> {
  if (status !== null) await discardExpired(session, { status, mails }, now);
  for (const { uuid, sendAt } of mails) await unlessArrived(session.rescheduleEmail(uuid, Math.max(sendAt, now)));
}

async function unlessArrived(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    // The mail has arrived or was deleted.
    if (!(error instanceof Problem) || (error.code !== "conflict" && error.code !== "not_found")) throw error;
  }
}

/** Replaces a batch, also while others change it; undefined when it has expired. */
async function change(
  session: ProviderSession,
  { id, now }: { readonly id: string; readonly now: number },
  changed: (batch: Batch) => Batch,
): Promise<Batch | undefined> {
  for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
    const found = batchOf(await session.objects.get(kind, id));
    if (found === undefined) return undefined;
    const { version, ...batch } = found;
    const value = changed(batch);
    if (await session.objects.put(kind, id, { value, version, expiresAt: now + batchLifetimeMs })) return value;
  }
  throw new Problem("too_many_requests", { retryAfterSeconds: 1 });
}
