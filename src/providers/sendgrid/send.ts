import { Problem } from "../../core/errors.ts";
import type { SubmittedEmail } from "../email.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import type { ProviderResponse } from "../provider.ts";
import { addToBatch, findBatch } from "./batches.ts";
import { composeEmails } from "./compose.ts";
import { rejection, sendGridError } from "./errors.ts";
import { readSend, type SendRequest } from "./request.ts";
import { acceptedResponse, sandboxResponse } from "./response.ts";
import { activeVersion } from "./templates.ts";

/** Sends mail: `POST /v3/mail/send`. */
export const sendMail: Handler = async (call) => {
  const { request, session, services } = call;
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) throw new Problem("unsupported_media_type");
  const read = readSend(request.body, services.now());
  if (read.batchId !== null && (await findBatch(session, read.batchId)) === undefined) {
    throw rejection(400, [sendGridError("batchId", "batch_id")]);
  }
  if (read.isSandbox) return sandboxResponse;
  const template = read.templateId === null ? null : await activeVersion(session, read.templateId);
  const emails = await onProblem("invalid_request", composeEmails(read, template, services), (problem) => {
    throw rejection(400, [sendGridError("templateFailed", "template_id", detailOf(problem))]);
  });
  return submit(read, emails, call);
};

async function submit(
  { batchId }: SendRequest,
  emails: readonly SubmittedEmail[],
  { session, services }: Call,
): Promise<ProviderResponse> {
  const submissions = await session.submitEmails(emails);
  const accepted = submissions.flatMap((one, at) => {
    const sendAt = emails[at]?.sendAt ?? null;
    return one.refusal === undefined ? [{ ...one, sendAt }] : [];
  });
  const [first] = accepted;
  if (first === undefined) throw rejection(400, [sendGridError("noServer", "personalizations.0.to")]);
  if (batchId !== null) {
    const scheduled = accepted.flatMap(({ uuid, sendAt }) => (sendAt === null ? [] : [{ uuid, sendAt }]));
    await addToBatch(session, { id: batchId, mails: scheduled, now: services.now() });
  }
  return acceptedResponse(first.providerId);
}
