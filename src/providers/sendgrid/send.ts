import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import type { ProviderRequest, ProviderResponse, ProviderServices, ProviderSession } from "../provider.ts";
import { addToBatch, findBatch } from "./batches.ts";
import { composeEmails } from "./compose.ts";
import { errorsResponse, sendGridError } from "./errors.ts";
import { readSend, type SendRequest } from "./request.ts";
import { acceptedResponse, sandboxResponse } from "./response.ts";
import { activeVersion } from "./templates.ts";

/** Sends mail: `POST /v3/mail/send`. */
export async function sendMail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  const reading = readSend(request.body, services.now());
  if (reading.request === undefined) return errorsResponse(reading.status, reading.errors);
  const read = reading.request;
  if (read.batchId !== null && (await findBatch(session, read.batchId)) === undefined) {
    return errorsResponse(400, [sendGridError("batchId", "batch_id")]);
  }
  if (read.isSandbox) return sandboxResponse;
  const template = read.templateId === null ? null : await activeVersion(session, read.templateId);
  const emails = await composeEmails(read, template, services).catch(failedTemplate);
  return emails instanceof Problem ? templateResponse(emails) : submit(read, emails, { session, services });
}

function failedTemplate(error: unknown): Problem {
  if (error instanceof Problem && error.code === "invalid_request") return error;
  throw error;
}

function templateResponse({ fields, message }: Problem): ProviderResponse {
  return errorsResponse(400, [sendGridError("templateFailed", "template_id", fields[0]?.description ?? message)]);
}

interface Caller {
  readonly session: ProviderSession;
  readonly services: ProviderServices;
}

async function submit(
  { batchId }: SendRequest,
  emails: readonly SubmittedEmail[],
  { session, services }: Caller,
): Promise<ProviderResponse> {
  const submissions = await session.submitEmails(emails);
  const accepted = submissions.flatMap((one, at) => {
    const sendAt = emails[at]?.sendAt ?? null;
    return one.refusal === undefined ? [{ ...one, sendAt }] : [];
  });
  const [first] = accepted;
  if (first === undefined) return errorsResponse(400, [sendGridError("noServer", "personalizations.0.to")]);
  if (batchId !== null) {
    const scheduled = accepted.flatMap(({ uuid, sendAt }) => (sendAt === null ? [] : [{ uuid, sendAt }]));
    await addToBatch(session, { id: batchId, mails: scheduled, now: services.now() });
  }
  return acceptedResponse(first.providerId);
}
