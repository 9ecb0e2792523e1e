import type { Contact } from "../../core/message.ts";
import type { StoredEmail, SubmittedEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isUuid } from "../formats/uuid.ts";
import { anyEmail, emailOf, submitAll, submitBatch } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem, Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { instantText, objectResponse, readResendBody, readResendSend, readScheduledAt } from "./request.ts";
import type { ResendSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";

const pageSizeDefault = 20;
const pageSizeMax = 100;
/** Mails that are looked through for the one of `after` or `before`. */
const reachMax = 1000;
const batchCountMax = 100;
const keyLengthMax = 256;
const noServer = invalid("No server receives mail for the recipients.");

/** Sends a mail: `POST /emails`. */
export const sendEmail: Handler = async (call) => {
  const body = readResendBody(call.request.body);
  const send = readResendSend(body, call.services.now());
  return once(call, body, async () => {
    const [accepted] = await submitAll(call.session, [await composeEmail(send, call)], noServer);
    return jsonResponse(200, { id: accepted?.providerId });
  });
};

/**
 * Sends several mails: `POST /emails/batch`. With `x-batch-validation: permissive`, valid mails are sent and the errors of
 * the others listed; otherwise the first error rejects the batch.
 */
export const sendBatch: Handler = async (call) => {
  const body = readResendBody(call.request.body);
  if (!Array.isArray(body) || body.length === 0 || body.length > batchCountMax) {
    throw invalid(`The request body must be an array of 1 to ${batchCountMax} emails.`);
  }
  return once(call, body, async () => sendAll(body, call));
};

async function sendAll(mails: readonly unknown[], call: Call): Promise<ProviderResponse> {
  const isPermissive = call.request.headers["x-batch-validation"] === "permissive";
  const items: (SubmittedEmail | Rejection)[] = [];
  for (const mail of mails) {
    const item = await settle(readEmail(mail, call));
    if (item instanceof Rejection && !isPermissive) throw item;
    items.push(item);
  }
  const outcomes = await submitBatch(call.session, items, noServer);
  const data = outcomes.flatMap((one) => (one instanceof Rejection ? [] : [{ id: one.providerId }]));
  if (data.length === 0 && !isPermissive) throw noServer;
  const errors = outcomes.flatMap((one, index) => (one instanceof Rejection ? [{ index, message: one.message }] : []));
  return jsonResponse(200, isPermissive ? { data, errors } : { data });
}

async function readEmail(mail: unknown, call: Call): Promise<SubmittedEmail> {
  return composeEmail(readResendSend(mail, call.services.now()), call);
}

async function composeEmail({ draft, template, tags, sendAt }: ResendSend, call: Call): Promise<SubmittedEmail> {
  const rendered = template === null ? draft : { ...draft, ...(await renderTemplate(template, draft, call)) };
  const { from } = rendered;
  if (from === null) throw missing("from");
  const facts = { metadata: tags, template, sendAt };
  return emailOf({ ...rendered, from }, { ...facts, identify: (uuid) => ({ providerId: uuid, messageId: null }) });
}

/** Responds once for an idempotency key: https://resend.com/docs/dashboard/emails/idempotency-keys */
async function once(
  { request: { headers, path }, session }: Call,
  body: unknown,
  respond: () => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const key = headers["idempotency-key"];
  if (key === undefined) return respond();
  if (typeof key !== "string" || key.length < 1 || key.length > keyLengthMax)
    throw rejection("invalid_idempotency_key");
  return onProblem("conflict", session.once(key, [path, body], respond), () => rejection("invalid_idempotent_request"));
}

/** Returns a mail: `GET /emails/:id`. */
export const getEmail: Handler = async (call) => jsonResponse(200, emailResource(await openEmail(call)));

/** Changes the time of a scheduled mail: `PATCH /emails/:id`. */
export const updateEmail: Handler = async (call) => {
  const body = readResendBody(call.request.body);
  const sendAt = readScheduledAt(isJsonObject(body) ? body["scheduled_at"] : undefined, call.services.now());
  if (sendAt === null) throw missing("scheduled_at");
  const { providerId } = await openEmail(call);
  await onProblem("conflict", call.session.rescheduleEmail(providerId, sendAt), alreadySent);
  return objectResponse("email", providerId);
};

/** Cancels a scheduled mail: `POST /emails/:id/cancel`. */
export const cancelEmail: Handler = async (call) => {
  const { providerId } = await openEmail(call);
  await onProblem("conflict", call.session.cancelEmail(providerId), alreadySent);
  return objectResponse("email", providerId);
};

/** Lists mails, newest first: `GET /emails` with `limit` and `after` or `before`. */
export const listEmails: Handler = async ({ request, session }) => {
  const limit = Number(fieldOf(request.fields, "limit") ?? pageSizeDefault);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageSizeMax) {
    throw invalid(`The \`limit\` parameter must be from 1 to ${pageSizeMax}.`);
  }
  const [after, before] = [fieldOf(request.fields, "after"), fieldOf(request.fields, "before")];
  const itemsPerPage = after === undefined && before === undefined ? limit + 1 : reachMax;
  const { emails: all } = await session.listEmails({ ...anyEmail, page: 0, itemsPerPage });
  const at = (id: string): number => {
    const found = all.findIndex(({ providerId }) => providerId === id);
    if (found === -1) throw rejection("not_found", "Email not found");
    return found;
  };
  const start = after === undefined ? (before === undefined ? 0 : Math.max(0, at(before) - limit)) : at(after) + 1;
  const end = before === undefined ? start + limit : at(before);
  const hasMore = before === undefined ? all.length > end : start > 0;
  return jsonResponse(200, { object: "list", has_more: hasMore, data: all.slice(start, end).map(emailItem) });
};

async function openEmail({ session, request: { params } }: Call): Promise<StoredEmail> {
  const { id = "" } = params;
  if (!isUuid(id)) throw rejection("invalid_parameter", "The `id` must be a valid UUID.");
  return onProblem("not_found", session.getEmail(id), () => rejection("not_found", "Email not found"));
}

function alreadySent(): never {
  throw invalid("The email has already been sent.");
}

/** Returns the JSON of a mail: `GET /emails/:id`. */
function emailResource(email: StoredEmail): JsonObject {
  const { message, facts } = email;
  const header = (name: string): string | undefined =>
    message.metadata.headers.find(({ field }) => field.toLowerCase() === name)?.value;
  const replyTo = header("reply-to");
  return {
    ...emailItem(email),
    message_id: header("message-id") ?? `<${email.providerId}@resend.dev>`,
    html: message.html.body,
    text: message.text.body,
    reply_to: replyTo === undefined ? [] : [replyTo],
    tags: Object.entries(facts.metadata).map(([name, value]) => ({ name, value })),
    topic_id: null,
  };
}

/** Returns the JSON of a mail in a list: `GET /emails`. */
function emailItem({ providerId, status, createdAt, sendAt, message }: StoredEmail): JsonObject {
  return {
    object: "email",
    id: providerId,
    to: message.to.map(textOfContact),
    from: message.from.slice(0, 1).map(textOfContact).join(""),
    created_at: instantText(createdAt),
    subject: message.subject,
    bcc: message.bcc.map(textOfContact),
    cc: message.cc.map(textOfContact),
    reply_to: [],
    last_event: status,
    scheduled_at: sendAt === null ? null : instantText(sendAt),
  };
}

/** Returns a mailbox as text, `Name <a@b>`. */
function textOfContact({ name, email }: Contact): string {
  return name === "" ? (email ?? "") : `${name} <${email ?? ""}>`;
}
