/**
 * SMS as responses and events show them, and the numbers from which and to which an application has sent SMS: https://developers.mailersend.com/api/v1/sms-numbers and
 * https://developers.mailersend.com/api/v1/sms-recipients
 */
import { countSegments } from "../../core/sms.ts";
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { type CollectedObject, type Collection, collectionOf } from "../kit/objects.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse, noContent } from "../provider.ts";
import type { StoredSms } from "../sms.ts";
import { invalid, notFound } from "./errors.ts";
import { readMailerSendObject } from "./request.ts";
import { instantText, pageOf } from "./response.ts";

/** Returns the JSON of an SMS to one number. */
export function smsJson(sms: Readonly<Record<"id" | "from" | "to" | "text" | "status", string>>): JsonObject {
  const { id, from, to, text, status } = sms;
  const segments = countSegments(text).segments;
  return { id, from, to, text, status, segment_count: segments, error_type: null, error_description: null };
}

/** Returns the JSON of a stored SMS, which was delivered. */
export function storedSmsJson({ id, from, to, text }: StoredSms): JsonObject {
  return smsJson({ id: digitsOfUuid(id), from, to, text, status: "delivered" });
}

/** Returns the id of a number from which an application sends. */
export function idOfNumber(number: string): string {
  return derivedHex(16, number);
}

/** Returns the id of a number to which an application sends. */
export function idOfRecipient(number: string): string {
  return derivedHex(24, number);
}

/** Number from which an application sends. */
interface SmsNumber {
  readonly number: string;
  readonly isPaused: boolean;
}

const statuses = ["active", "opt_out"] as const;

/** Number to which an application sends. */
interface SmsRecipient {
  readonly number: string;
  readonly status: (typeof statuses)[number];
}

type Owner = Pick<Call, "session">;
const openNumbers = collectionOf<SmsNumber>("sms number");
const openRecipients = collectionOf<SmsRecipient>("sms recipient");

/** Adds the numbers of an SMS to the lists, up to the limit of objects. */
export async function noteNumbers(call: Owner, from: string, to: readonly string[]): Promise<void> {
  const created = [
    async () => openNumbers(call).create(idOfNumber(from), { number: from, isPaused: false }),
    ...to.map((number) => async () => openRecipients(call).create(idOfRecipient(number), { number, status: "active" })),
  ];
  for (const create of created) await onProblem("limit_reached", create(), () => false);
}

/** Returns the number with an id from which an application has sent; undefined without one. */
export async function findNumber(call: Owner, id: string): Promise<string | undefined> {
  return (await openNumbers(call).find(id))?.number;
}

/** Returns whether the API has excluded a number from SMS. */
export async function hasOptedOut(call: Owner, number: string): Promise<boolean> {
  return (await openRecipients(call).find(idOfRecipient(number)))?.status === "opt_out";
}

/** Lists numbers: `GET /sms-numbers`. */
export const listNumbers: Handler = async (call) => {
  const paused = fieldOf(call.request.fields, "paused");
  const isWanted = ({ value }: CollectedObject<SmsNumber>): boolean =>
    paused === undefined || value.isPaused === (paused === "true" || paused === "1");
  return pageOf(call.request, (await openNumbers(call).objects()).filter(isWanted).map(numberJson));
};

/** Returns a number: `GET /sms-numbers/:id`. */
export const getNumber: Handler = async (call) =>
  jsonResponse(200, { data: numberJson(await found(call, openNumbers)) });

/** Pauses a number, which has no effect on SMS, or ends the pause: `PUT /sms-numbers/:id`. */
export const updateNumber: Handler = async (call) => {
  const { paused } = readMailerSendObject(call.request.body);
  if (typeof paused !== "boolean") throw invalid(["paused", "The paused field must be true or false."]);
  const { id } = await found(call, openNumbers);
  await openNumbers(call).change(id, (number) => ({ ...number, isPaused: paused }));
  return getNumber(call);
};

/** Removes a number from the list: `DELETE /sms-numbers/:id`. */
export const deleteNumber: Handler = async (call) => {
  await openNumbers(call).remove((await found(call, openNumbers)).id);
  return noContent;
};

/** Lists recipients, all or those with a status: `GET /sms-recipients`. */
export const listRecipients: Handler = async (call) => {
  const wanted = fieldOf(call.request.fields, "status");
  if (wanted !== undefined) checkStatus(wanted);
  const all = await openRecipients(call).objects();
  return pageOf(call.request, all.filter(({ value }) => (wanted ?? value.status) === value.status).map(recipientJson));
};

/** Returns a recipient with the newest SMS to it: `GET /sms-recipients/:id`. */
export const getRecipient: Handler = async (call) => {
  const recipient = await found(call, openRecipients);
  const filter = { from: null, to: recipient.value.number, since: null, before: null, page: 0, itemsPerPage: 25 };
  const { messages } = await call.session.listSms(filter);
  return jsonResponse(200, { data: { ...recipientJson(recipient), sms: messages.map(storedSmsJson) } });
};

/** Excludes a recipient from SMS, or ends the exclusion: `PUT /sms-recipients/:id`. */
export const updateRecipient: Handler = async (call) => {
  const status = checkStatus(readMailerSendObject(call.request.body)["status"]);
  const { id } = await found(call, openRecipients);
  await openRecipients(call).change(id, (recipient) => ({ ...recipient, status }));
  return jsonResponse(200, { data: recipientJson(await found(call, openRecipients)) });
};

function checkStatus(given: unknown): SmsRecipient["status"] {
  const status = statuses.find((one) => one === given);
  if (status === undefined) throw invalid(["status", "The selected status is invalid."]);
  return status;
}

async function found<Value>(call: Call, open: (owner: Owner) => Collection<Value>): Promise<CollectedObject<Value>> {
  const object = await open(call).get(call.request.params["id"] ?? "");
  if (object === undefined) throw notFound();
  return object;
}

function numberJson({ id, value: { number, isPaused }, createdAt }: CollectedObject<SmsNumber>): JsonObject {
  return { id, telephone_number: number, paused: isPaused, created_at: instantText(createdAt) };
}

function recipientJson({ id, value: { number, status }, createdAt }: CollectedObject<SmsRecipient>): JsonObject {
  return { id, number, status, created_at: instantText(createdAt) };
}
