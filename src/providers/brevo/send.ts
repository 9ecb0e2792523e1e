import { randomUUID } from "node:crypto";
import type { SubmittedEmail } from "../email.ts";
import { emailOf, submitBatch } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem, Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { storeBatch } from "./emails.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { readBrevoBody, readBrevoSend, type BrevoSend, type MailVersion } from "./request.ts";
import { customHeader, messageIdOf } from "./response.ts";
import { renderVersion } from "./templates.ts";

const keyLengthMax = 256;
const noServer = invalid("No server receives mail for the recipients");

/** Sends a mail or the versions of one, once for the `Idempotency-Key` of its header fields: `POST /v3/smtp/email`. */
export const sendMail: Handler = async (call) => {
  const body = readBrevoBody(call.request.body);
  const send = readBrevoSend(body, call.services.now());
  const emails = await Promise.all(send.versions.map(async (version) => composeEmail(send, version, call)));
  if (send.isSandbox)
    return sentResponse(
      send,
      emails.map(() => randomUUID()),
    );
  const { idempotencyKey: key } = send;
  const submit = async (): Promise<ProviderResponse> => submitMails(send, emails, call);
  if (key === null) return submit();
  if (key === "" || key.length > keyLengthMax) throw invalid("Idempotency-Key is not valid");
  return onProblem("conflict", call.session.once(key, body, submit), () => {
    throw rejection("duplicate_parameter", "Idempotency-Key was used with another request");
  });
};

async function submitMails(send: BrevoSend, emails: readonly SubmittedEmail[], call: Call): Promise<ProviderResponse> {
  const outcomes = await submitBatch(call.session, emails, noServer);
  const uuids = outcomes.flatMap((one) => (one instanceof Rejection ? [] : [one.uuid]));
  if (uuids.length === 0) throw noServer;
  const batchId = send.sendAt === null ? null : (send.batchId ?? randomUUID());
  if (batchId !== null) await storeBatch(call, batchId, uuids);
  return sentResponse({ ...send, batchId }, uuids);
}

function sentResponse({ isBatch, sendAt, batchId }: BrevoSend, uuids: readonly string[]): ProviderResponse {
  const ids = uuids.map(messageIdOf);
  const shown = isBatch ? { messageIds: ids } : { messageId: ids[0] };
  return sendAt === null ? jsonResponse(201, shown) : jsonResponse(202, { ...shown, batchId });
}

async function composeEmail(send: BrevoSend, version: MailVersion, call: Call): Promise<SubmittedEmail> {
  const { sender, ...rendered } = await renderVersion(version, call);
  const from = send.sender ?? sender;
  if (from === null) throw missing("sender");
  const { to, cc, bcc, templateId, params } = version;
  const { headers, attachments, tags, sendAt } = send;
  // The header field that events repeat.
  const custom = headers.find(([name]) => name.toLowerCase() === customHeader.toLowerCase());
  return emailOf(
    { from, to, cc, bcc, ...rendered, headers, attachments },
    {
      tags,
      metadata: custom === undefined ? {} : { [customHeader]: custom[1] },
      template: templateId === null ? null : { id: String(templateId), data: params ?? {} },
      sendAt,
      identify: (uuid) => ({ providerId: messageIdOf(uuid), messageId: messageIdOf(uuid) }),
    },
  );
}
