import type { EmailSubmission, SubmittedEmail } from "../email.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem, Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { readResendBody, readResendSend, type ResendSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";

const batchCountMax = 100;
const keyLengthMax = 256;

/** Sends a mail: `POST /emails`. */
export const sendEmail: Handler = async (call) => {
  const body = readResendBody(call.request.body);
  const send = readResendSend(body, call.services.now());
  return once(call, body, async () => {
    const [submission] = await call.session.submitEmails([await toEmail(send, call)]);
    const outcome = outcomeOf(submission);
    if (outcome instanceof Rejection) throw outcome;
    return jsonResponse(200, outcome);
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
  return once(call, body, async () => submitBatch(body, call));
};

async function submitBatch(mails: readonly unknown[], call: Call): Promise<ProviderResponse> {
  const isPermissive = call.request.headers["x-batch-validation"] === "permissive";
  const readings: (SubmittedEmail | Rejection)[] = [];
  for (const mail of mails) {
    const reading = await settle(readMail(mail, call));
    if (reading instanceof Rejection && !isPermissive) throw reading;
    readings.push(reading);
  }
  const submissions = await call.session.submitEmails(
    readings.flatMap((one) => (one instanceof Rejection ? [] : [one])),
  );
  const queue = submissions.values();
  const outcomes = readings.map((one) => (one instanceof Rejection ? one : outcomeOf(queue.next().value)));
  const data = outcomes.flatMap((one) => (one instanceof Rejection ? [] : [one]));
  if (data.length === 0 && !isPermissive) throw noServer;
  const errors = outcomes.flatMap((one, index) => (one instanceof Rejection ? [{ index, message: one.message }] : []));
  return jsonResponse(200, isPermissive ? { data, errors } : { data });
}

async function readMail(mail: unknown, call: Call): Promise<SubmittedEmail> {
  return toEmail(readResendSend(mail, call.services.now()), call);
}

const noServer = invalid("No server receives mail for the recipients.");

function outcomeOf(submission: EmailSubmission | undefined): { readonly id: string } | Rejection {
  return submission?.refusal === undefined && submission !== undefined ? { id: submission.providerId } : noServer;
}

async function toEmail({ draft, template, tags, sendAt }: ResendSend, call: Call): Promise<SubmittedEmail> {
  const rendered = template === null ? draft : { ...draft, ...(await renderTemplate(template, draft, call)) };
  const { from } = rendered;
  if (from === null) throw missing("from");
  return {
    content: { ...rendered, from },
    mailFrom: from.address,
    recipients: [...draft.to, ...draft.cc, ...draft.bcc].map(({ address }) => address),
    facts: {
      tags: [],
      metadata: tags,
      template: template === null ? null : { id: template.id, data: template.variables },
    },
    sendAt,
    identify: (uuid) => ({ providerId: uuid, messageId: null }),
  };
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
