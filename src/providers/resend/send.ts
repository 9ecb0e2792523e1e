import { Problem } from "../../core/errors.ts";
import type { EmailSubmission, SubmittedEmail } from "../email.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { answered, invalidResendField, resendError, ResendRejection, type ResendError } from "./errors.ts";
import { readResendBody, readResendSend, type ResendSend } from "./request.ts";
import { renderTemplate } from "./templates.ts";

const batchCountMax = 100;

interface Caller {
  readonly session: ProviderSession;
  readonly services: ProviderServices;
}

/** Sends a mail: `POST /emails`. */
export async function sendEmail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  return answered(async () => {
    const body = readResendBody(request.body);
    const send = readResendSend(body, services.now());
    return once(request, { session, body }, async () => {
      const [submission] = await session.submitEmails([await toEmail(send, { session, services })]);
      const outcome = outcomeOf(submission);
      if ("error" in outcome) throw new ResendRejection(outcome.error);
      return jsonResponse(200, outcome);
    });
  });
}

/**
 * Sends several mails: `POST /emails/batch`. With `x-batch-validation: permissive`, valid mails are sent and the errors of
 * the others listed; otherwise the first error rejects the batch.
 */
export async function sendBatch(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  return answered(async () => {
    const body = readResendBody(request.body);
    if (!Array.isArray(body) || body.length === 0 || body.length > batchCountMax) {
      throw new ResendRejection(
        invalidResendField(`The request body must be an array of 1 to ${batchCountMax} emails.`),
      );
    }
    const isPermissive = request.headers["x-batch-validation"] === "permissive";
    const mails: readonly unknown[] = body;
    return once(request, { session, body }, async () => submitBatch(mails, isPermissive, { session, services }));
  });
}

type Reading = { readonly email: SubmittedEmail } | { readonly error: ResendError };

async function submitBatch(
  mails: readonly unknown[],
  isPermissive: boolean,
  caller: Caller,
): Promise<ProviderResponse> {
  const readings: Reading[] = [];
  for (const mail of mails) {
    const reading = await readOne(mail, caller);
    if ("error" in reading && !isPermissive) throw new ResendRejection(reading.error);
    readings.push(reading);
  }
  const submissions = await caller.session.submitEmails(readings.flatMap((one) => ("email" in one ? [one.email] : [])));
  const queue = submissions.values();
  const outcomes = readings.map((one) => ("error" in one ? one : outcomeOf(queue.next().value)));
  const data = outcomes.flatMap((one) => ("error" in one ? [] : [one]));
  if (data.length === 0 && !isPermissive) throw new ResendRejection(noServer);
  const errors = outcomes.flatMap((one, index) => ("error" in one ? [{ index, message: one.error.message }] : []));
  return jsonResponse(200, isPermissive ? { data, errors } : { data });
}

async function readOne(mail: unknown, caller: Caller): Promise<Reading> {
  try {
    return { email: await toEmail(readResendSend(mail, caller.services.now()), caller) };
  } catch (error) {
    if (error instanceof ResendRejection) return { error: error.error };
    throw error;
  }
}

const noServer = invalidResendField("No server receives mail for the recipients.");

function outcomeOf(submission: EmailSubmission | undefined): { readonly id: string } | { readonly error: ResendError } {
  return submission?.refusal === undefined && submission !== undefined
    ? { id: submission.providerId }
    : { error: noServer };
}

async function toEmail({ draft, template, tags, sendAt }: ResendSend, caller: Caller): Promise<SubmittedEmail> {
  const rendered = template === null ? draft : { ...draft, ...(await renderTemplate(template, draft, caller)) };
  const { from } = rendered;
  if (from === null) throw new ResendRejection(resendError("missing_required_field", "Missing `from` field."));
  const recipients = [...draft.to, ...draft.cc, ...draft.bcc].map(({ address }) => address);
  return {
    content: { ...rendered, from },
    mailFrom: from.address,
    recipients,
    facts: {
      tags: [],
      metadata: tags,
      template: template === null ? null : { id: template.id, data: template.variables },
    },
    sendAt,
    identify: (uuid) => ({ providerId: uuid, messageId: null }),
  };
}

const keyLengthMax = 256;

/** Responds once for an idempotency key: https://resend.com/docs/dashboard/emails/idempotency-keys */
async function once(
  { headers, path }: ProviderRequest,
  { session, body }: { readonly session: ProviderSession; readonly body: unknown },
  respond: () => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const key = headers["idempotency-key"];
  if (key === undefined) return respond();
  if (typeof key !== "string" || key.length < 1 || key.length > keyLengthMax) {
    throw new ResendRejection(resendError("invalid_idempotency_key"));
  }
  try {
    return await session.once(key, [path, body], respond);
  } catch (error) {
    if (error instanceof Problem && error.code === "conflict") {
      throw new ResendRejection(resendError("invalid_idempotent_request"));
    }
    throw error;
  }
}
