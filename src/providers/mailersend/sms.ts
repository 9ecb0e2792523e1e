/**
 * SMS (https://developers.mailersend.com/api/v1/sms), and the numbers from which and to which an application has sent them
 * (https://developers.mailersend.com/api/v1/sms-numbers and https://developers.mailersend.com/api/v1/sms-recipients).
 */
import { parsePhoneNumber } from "../../core/phone-number.ts";
import type { FormFields } from "../../core/read-form.ts";
import { countSegments } from "../../core/sms.ts";
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid, uuidOfDigits } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { type CollectedObject, type Collection, collectionOf } from "../kit/objects.ts";
import { onProblem } from "../kit/rejection.ts";
import { renderBodies } from "../kit/templates.ts";
import { jsonResponse, noContent, type ProviderResponse } from "../provider.ts";
import { smsLengthMax, type SmsFilter, type StoredSms } from "../sms.ts";
import { invalid, notFound, throwIssues, type Issue } from "./errors.ts";
import { readMailerSendObject, requiredText } from "./request.ts";
import { instantText, pageOf, pageResponse, readPage } from "./response.ts";

const recipientCountMax = 50;

/** Sends an SMS to each of its numbers: `POST /sms`. The id of the response is that of the first one. */
export const sendSms: Handler = async (call) => {
  const { from, to, text, personalization } = readSms(call);
  const ids: string[] = [];
  for (const [at, number] of to.entries()) {
    if (await hasOptedOut(call, number)) throw optedOut(at);
    const body = await renderText(text, personalization?.get(number) ?? null, call);
    const submission = await call.session.submitSms({ from, to: number, text: body, callback: null });
    if (submission.refusal === "unsubscribed") throw optedOut(at);
    if (submission.refusal !== undefined)
      throw invalid([`to.${at}`, `No server receives SMS for the to.${at} number.`]);
    ids.push(digitsOfUuid(submission.id));
  }
  await noteNumbers(call, from, to);
  const contentType = "text/html; charset=UTF-8";
  return { status: 202, headers: { "X-SMS-Message-Id": ids[0] ?? "" }, body: { contentType, text: "" } };
};

function optedOut(at: number): Error {
  return invalid([`to.${at}`, `The to.${at} recipient has opted out.`]);
}

async function renderText(text: string, data: JsonObject | null, { services }: Call): Promise<string> {
  if (data === null) return text;
  const failed = (): Error => invalid(["text", "The value you provided in text failed to compile. #MS42213"]);
  const rendered = await renderBodies(services, { language: "twig", sources: { text }, data }, failed);
  return rendered.text ?? "";
}

function readSms({ request }: Call) {
  const { from, to, text, personalization } = readMailerSendObject(request.body);
  const issues: Issue[] = [];
  const numberOf = (value: unknown, field: string): string => {
    const number = typeof value === "string" ? parsePhoneNumber(value) : undefined;
    if (number === undefined) issues.push([field, `The ${field} field contains an invalid number.`]);
    return number ?? "";
  };
  const sender = from === undefined ? "" : numberOf(from, "from");
  if (from === undefined) issues.push(["from", requiredText("from")]);
  const numbers = Array.isArray(to)
    ? to.slice(0, recipientCountMax + 1).map((one: unknown, at) => numberOf(one, `to.${at}`))
    : [];
  if (numbers.length === 0) issues.push(["to", requiredText("to")]);
  if (numbers.length > recipientCountMax)
    issues.push(["to", `The to must not have more than ${recipientCountMax} items.`]);
  if (typeof text !== "string" || text === "") issues.push(["text", requiredText("text")]);
  else if (text.length > smsLengthMax)
    issues.push(["text", `The text must not be greater than ${smsLengthMax} characters.`]);
  const data = Array.isArray(personalization) ? personalization.filter(isJsonObject) : [];
  throwIssues(issues);
  const byNumber = data.map(
    ({ phone_number: number, data: own }) => [String(number), isJsonObject(own) ? own : {}] as const,
  );
  return {
    from: sender,
    to: numbers,
    text: String(text),
    /** Data of numbers; null when the request has none. */
    personalization: data.length === 0 ? null : new Map(byNumber),
  };
}

const anySms = { from: null, to: null, since: null, before: null };

/** Lists SMS, newest first: `GET /sms-messages`. */
export const listSms: Handler = async (call) => pageOfSms(call, anySms, itemOf);

/** Lists what happened to SMS, newest first: `GET /sms-activity`. */
export const listActivity: Handler = async (call) => {
  const { fields } = call.request;
  const statuses = fields.filter(([name]) => /^status(?:\[\d*\])?$/.test(name)).map(([, status]) => status);
  const numberId = fieldOf(fields, "sms_number_id");
  const from = numberId === undefined ? null : await findNumber(call, numberId);
  // Every SMS is delivered.
  const isNone = from === undefined || (statuses.length > 0 && !statuses.includes("delivered"));
  if (isNone) return pageOf(call.request, []);
  const [since, before] = [instantOf(fields, "date_from"), instantOf(fields, "date_to")];
  return pageOfSms(call, { from, to: null, since, before }, activityOf);
};

/** Returns an instant in seconds as milliseconds; null for an absent one. Throws a rejection for an invalid one. */
function instantOf(fields: FormFields, name: string): number | null {
  const wrong = invalid([name, `The ${name} must be an integer.`]);
  const seconds = naturalOf(fields, name, { absent: -1, max: 1e12, invalid: wrong });
  return seconds === -1 ? null : seconds * 1000;
}

/** Returns a page of SMS, newest first. */
async function pageOfSms(
  { request, session }: Pick<Call, "request" | "session">,
  filter: Omit<SmsFilter, "page" | "itemsPerPage">,
  jsonOf: (sms: StoredSms) => JsonObject,
): Promise<ProviderResponse> {
  const range = readPage(request);
  const { messages, hasMore } = await session.listSms({ ...filter, page: range.page - 1, itemsPerPage: range.limit });
  return pageResponse(request, range, { items: messages.map(jsonOf), hasMore });
}

/** Returns an SMS: `GET /sms-messages/:id`. */
export const getSms: Handler = async ({ request, session }) => {
  const sms = await onProblem("not_found", session.getSms(uuidOfDigits(request.params["id"] ?? "")), notFound);
  const { content: _content, ...activity } = activityOf(sms);
  return jsonResponse(200, { data: { ...itemOf(sms), sms: [storedSmsJson(sms)], sms_activity: [activity] } });
};

function itemOf({ id, from, to, text, createdAt }: StoredSms): JsonObject {
  return { id: digitsOfUuid(id), from, to: [to], text, paused: false, created_at: instantText(createdAt) };
}

function activityOf({ id, from, to, text, createdAt }: StoredSms): JsonObject {
  const [at, messageId] = [instantText(createdAt), digitsOfUuid(id)];
  return { from, to, created_at: at, content: text, status: "delivered", sms_message_id: messageId };
}

/** Returns the JSON of an SMS to one number. */
export function smsJson(sms: Readonly<Record<"id" | "from" | "to" | "text" | "status", string>>): JsonObject {
  const { id, from, to, text, status } = sms;
  const segments = countSegments(text).segments;
  return { id, from, to, text, status, segment_count: segments, error_type: null, error_description: null };
}

/** Returns the JSON of a stored SMS, which was delivered. */
function storedSmsJson({ id, from, to, text }: StoredSms): JsonObject {
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
async function noteNumbers(call: Owner, from: string, to: readonly string[]): Promise<void> {
  const created = [
    async () => openNumbers(call).create(idOfNumber(from), { number: from, isPaused: false }),
    ...to.map((number) => async () => openRecipients(call).create(idOfRecipient(number), { number, status: "active" })),
  ];
  for (const create of created) await onProblem("limit_reached", create(), () => false);
}

/** Returns the number with an id from which an application has sent; undefined without one. */
async function findNumber(call: Owner, id: string): Promise<string | undefined> {
  return (await openNumbers(call).find(id))?.number;
}

/** Returns whether the API has excluded a number from SMS. */
async function hasOptedOut(call: Owner, number: string): Promise<boolean> {
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
