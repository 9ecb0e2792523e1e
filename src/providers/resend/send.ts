import { emailOf, submitBatch } from "../kit/emails.ts";
import type { SubmittedEmail } from "../email.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem, Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { readResendBody, readResendSend, type ResendSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";

const batchCountMax = 100;
const keyLengthMax = 256;
const noServer = invalid("No server receives mail for the recipients.");

/** Sends a mail: `POST /emails`. */
export const sendEmail: Handler = async (call) => {
  const body = readResendBody(call.request.body);
  const send = readResendSend(body, call.services.now());
  return once(call, body, async () => {
    const [outcome] = await submitBatch(call.session, [await composeEmail(send, call)], noServer);
    if (outcome instanceof Rejection) throw outcome;
    return jsonResponse(200, { id: outcome?.providerId });
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
  return onProblem("conflict", session.once(key, [path, body], respond), () => {
    throw rejection("invalid_idempotent_request");
  });
}
