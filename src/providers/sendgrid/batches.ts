/**
 * Batches of scheduled mail, which can be paused and cancelled together:
 * https://www.twilio.com/docs/sendgrid/api-reference/cancel-scheduled-sends
 */
import { randomUUID } from "node:crypto";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { onProblem, type Rejection } from "../kit/rejection.ts";
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

/** Batch as it is stored. */
interface Batch {
  /** Null while its mail is sent as scheduled. */
  readonly status: "pause" | "cancel" | null;
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
async function listStatuses({ session, services }: Call): Promise<readonly JsonObject[]> {
  const batches = (await openBatches(session).objects()).filter(({ value }) => value.status !== null);
  for (const { value } of batches) await discardExpired(session, value, services.now());
  return batches.map(({ id, value }) => ({ batch_id: id, status: value.status }));
}

async function discardExpired(session: ProviderSession, { status, mails }: Batch, now: number): Promise<void> {
  const isExpired = ({ sendAt }: BatchMail): boolean => sendAt + (status === "pause" ? pausedMsMax : 0) < now;
  for (const { uuid } of mails.filter(isExpired)) await unlessArrived(session.cancelEmail(uuid));
}

/** Adds scheduled mail to a batch, and holds it back when the batch is paused or cancelled. */
export async function addToBatch({ session, services }: Call, id: string, mails: readonly BatchMail[]): Promise<void> {
  if (mails.length === 0) return;
  const now = services.now();
  const change = ({ status, mails: present }: Batch): Batch => {
    const waiting = status === null ? present.filter(({ sendAt }) => sendAt > now) : present;
    return { status, mails: [...waiting, ...mails].slice(-batchMailCountMax) };
  };
  const batch = await openBatches(session).change(id, change, { expiresAt: now + batchLifetimeMs });
  if (batch !== undefined && batch.status !== null) await hold(session, mails);
}

/** Status for a batch, and the errors for one that is unknown, or of which the status is not to be set or changed. */
interface StatusChange extends Pick<Batch, "status"> {
  readonly id: string;
  readonly unknown: Rejection;
  /** Thrown unless the batch has a status as `hasStatus` says. */
  readonly refused: Rejection;
  readonly hasStatus: boolean;
}

/** Sets or removes the status of a batch, and holds back or releases its mail. */
async function setStatus(call: Call, { id, status, unknown, refused, hasStatus }: StatusChange): Promise<void> {
  const { session } = call;
  const now = call.services.now();
  const present = await findBatch(session, id);
  if (present === undefined) throw unknown;
  if ((present.status !== null) !== hasStatus) throw refused;
  if (!hasStatus && status !== null && (await listStatuses(call)).length >= statusCountMax)
    throw plainError(400, "max limit reached");
  let before = present;
  const change = (batch: Batch): Batch => {
    before = batch;
    return { ...batch, status };
  };
  const after = await openBatches(session).change(id, change, { expiresAt: now + batchLifetimeMs });
  if (after === undefined) throw unknown;
  if (status !== null) await hold(session, after.mails);
  else await release(session, before, now);
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
  // The mail has arrived or was deleted.
  await onProblem(["conflict", "not_found"], change, () => undefined);
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
  const { batch_id: id, status: given } = readJsonObject(call.request.body) ?? {};
  const unknown = plainError(400, "invalid batch id", "batch_id");
  if (typeof id !== "string" || id === "") throw unknown;
  const status = readStatus(given);
  const text = "a status for this batch id exists, try PATCH to update the status";
  const refused = plainError(400, text, "batch_id");
  await setStatus(call, { id, status, unknown, refused, hasStatus: false });
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
export const patchStatus: Handler = async (call) =>
  changeStatus(call, readStatus(readJsonObject(call.request.body)?.["status"]));

/** Removes the status of a batch: `DELETE /v3/user/scheduled_sends/:id`. */
export const deleteStatus: Handler = async (call) => changeStatus(call, null);

async function changeStatus(call: Call, status: Batch["status"]): ReturnType<Handler> {
  const id = call.request.params["id"] ?? "";
  const unknown = plainError(404, "batch id not found");
  await setStatus(call, { id, status, unknown, refused: unknown, hasStatus: true });
  return noContent;
}

function readStatus(value: unknown): "pause" | "cancel" {
  if (value === "pause" || value === "cancel") return value;
  throw plainError(400, 'status must be "pause" or "cancel"', "status");
}
