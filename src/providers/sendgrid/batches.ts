/**
 * Batches of scheduled mail, which can be paused and cancelled together:
 * https://www.twilio.com/docs/sendgrid/api-reference/cancel-scheduled-sends
 */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import { isJsonObject, readJson } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { jsonResponse, noContent, type ProviderSession } from "../provider.ts";
import { plainError } from "./errors.ts";

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

/** Scheduled mail of a batch; `sendAt` in milliseconds since the Unix epoch. */
interface BatchMail {
  readonly uuid: string;
  readonly sendAt: number;
}

/** State of a batch. */
type BatchStatus = "pause" | "cancel";

/** Batch as it is stored. */
export interface Batch {
  /** Null while its mail is sent as scheduled. */
  readonly status: BatchStatus | null;
  readonly mails: readonly BatchMail[];
}

function openBatches(session: ProviderSession): Collection<Batch> {
  return new Collection(session, "batch");
}

/** Returns a batch; undefined for an unknown or expired id. */
export async function findBatch(session: ProviderSession, id: string): Promise<Batch | undefined> {
  return openBatches(session).find(id);
}

/** Returns the paused and cancelled batches, after discarding mail that cannot be sent any more. */
async function listStatuses({ session, services }: Call): Promise<readonly Status[]> {
  const found: Status[] = [];
  for (const { id, value } of await openBatches(session).objects()) {
    if (value.status === null) continue;
    await discardExpired(session, value, services.now());
    found.push({ batch_id: id, status: value.status });
  }
  return found;
}

interface Status {
  readonly batch_id: string;
  readonly status: BatchStatus;
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
  const change = ({ status, mails: present }: Batch): Batch => {
    const waiting = status === null ? present.filter(({ sendAt }) => sendAt > now) : present;
    return { status, mails: [...waiting, ...mails].slice(-batchMailCountMax) };
  };
  const batch = await openBatches(session).change(id, change, { expiresAt: now + batchLifetimeMs });
  if (batch !== undefined && batch.status !== null) await hold(session, mails);
}

/**
 * Sets or removes the status of a batch, and holds back or releases its mail; `conflict` when `isAllowed` is false for the
 * present status.
 */
async function setStatus(
  call: Call,
  { id, status }: { readonly id: string; readonly status: BatchStatus | null },
  isAllowed: (present: BatchStatus | null) => boolean,
): Promise<"changed" | "no_batch" | "conflict"> {
  const { session } = call;
  const now = call.services.now();
  const present = await findBatch(session, id);
  if (present === undefined) return "no_batch";
  if (!isAllowed(present.status)) return "conflict";
  const isNew = present.status === null && status !== null;
  if (isNew && (await listStatuses(call)).length >= statusCountMax) throw plainError(400, "max limit reached");
  let before: Batch = present;
  const change = (batch: Batch): Batch => {
    before = batch;
    return { ...batch, status };
  };
  const after = await openBatches(session).change(id, change, { expiresAt: now + batchLifetimeMs });
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

/** Creates a batch id: `POST /v3/mail/batch`. */
export const postBatch: Handler = async ({ session, services }) => {
  const id = Buffer.from(`${randomUUID()}-${randomUUID().slice(-9)}`).toString("base64url");
  const expiresAt = services.now() + batchLifetimeMs;
  await openBatches(session).create(id, { status: null, mails: [] }, { expiresAt });
  return jsonResponse(201, { batch_id: id });
};

/** Validates a batch id: `GET /v3/mail/batch/:id`. */
export const getBatch: Handler = async ({ request, session }) => {
  const batch_id = request.params["id"] ?? "";
  if ((await findBatch(session, batch_id)) === undefined) throw plainError(400, "invalid batch id");
  return jsonResponse(200, { batch_id });
};

/** Pauses or cancels a batch: `POST /v3/user/scheduled_sends`. */
export const postStatus: Handler = async (call) => {
  const body = readJson(call.request.body);
  const { batch_id: id, status } = isJsonObject(body) ? body : {};
  if (typeof id !== "string" || id === "") throw plainError(400, "invalid batch id", "batch_id");
  if (!isStatus(status)) throw plainError(400, 'status must be "pause" or "cancel"', "status");
  const outcome = await setStatus(call, { id, status }, (present) => present === null);
  if (outcome === "no_batch") throw plainError(400, "invalid batch id", "batch_id");
  if (outcome === "conflict") {
    throw plainError(400, "a status for this batch id exists, try PATCH to update the status", "batch_id");
  }
  return jsonResponse(201, { batch_id: id, status });
};

/** Lists paused and cancelled batches: `GET /v3/user/scheduled_sends`. */
export const getStatuses: Handler = async (call) => jsonResponse(200, await listStatuses(call));

/** Returns the status of a batch in an array, which is empty without a status: `GET /v3/user/scheduled_sends/:id`. */
export const getStatus: Handler = async ({ request, session }) => {
  const batch_id = request.params["id"] ?? "";
  const { status = null } = (await findBatch(session, batch_id)) ?? {};
  return jsonResponse(200, status === null ? [] : [{ batch_id, status }]);
};

/** Changes the status of a batch: `PATCH /v3/user/scheduled_sends/:id`. */
export const patchStatus: Handler = async (call) => {
  const body = readJson(call.request.body);
  const { status } = isJsonObject(body) ? body : {};
  if (!isStatus(status)) throw plainError(400, 'status must be "pause" or "cancel"', "status");
  return changeStatus(call, status);
};

/** Removes the status of a batch: `DELETE /v3/user/scheduled_sends/:id`. */
export const deleteStatus: Handler = async (call) => changeStatus(call, null);

async function changeStatus(call: Call, status: BatchStatus | null): ReturnType<Handler> {
  const id = call.request.params["id"] ?? "";
  const outcome = await setStatus(call, { id, status }, (present) => present !== null);
  if (outcome !== "changed") throw plainError(404, "batch id not found");
  return noContent;
}

function isStatus(value: unknown): value is BatchStatus {
  return value === "pause" || value === "cancel";
}
