import { randomUUID } from "node:crypto";
import type { SubmittedEmail } from "../email.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { storeBatch } from "./emails.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { readBrevoBody, readBrevoSend, type BrevoSend, type MailVersion } from "./request.ts";
import { customHeader, messageIdOf } from "./response.ts";
import { renderVersion } from "./templates.ts";

const keyLengthMax = 256;

/** Sends a mail or the versions of one, once for the `Idempotency-Key` of its header fields: `POST /v3/smtp/email`. */
export const sendMail: Handler = async (call) => {
  const body = readBrevoBody(call.request.body);
  const send = readBrevoSend(body, call.services.now());
  const emails = await Promise.all(send.versions.map(async (version) => toEmail(send, version, call)));
  const submit = async (): Promise<ProviderResponse> => submitMails(send, emails, call);
  const { idempotencyKey: key } = send;
  if (key === null || send.isSandbox) return submit();
  if (key === "" || key.length > keyLengthMax) throw invalid("Idempotency-Key is not valid");
  return onProblem("conflict", call.session.once(key, body, submit), () => {
    throw rejection("duplicate_parameter", "Idempotency-Key was used with another request");
  });
};

async function submitMails(
  send: BrevoSend,
  emails: readonly SubmittedEmail[],
  { session }: Call,
): Promise<ProviderResponse> {
  if (send.isSandbox) {
    const ids = emails.map(() => messageIdOf(randomUUID()));
    return sentResponse(send, ids);
  }
  const accepted = (await session.submitEmails(emails)).filter((one) => one.refusal === undefined);
  if (accepted.length === 0) throw invalid("No server receives mail for the recipients");
  const batchId = send.sendAt === null ? null : (send.batchId ?? randomUUID());
  const uuids = accepted.map(({ uuid }) => uuid);
  if (batchId !== null) await storeBatch(session, batchId, uuids);
  const ids = accepted.map(({ providerId }) => providerId);
  return sentResponse({ ...send, batchId }, ids);
}

function sentResponse(
  { isBatch, sendAt, batchId }: Pick<BrevoSend, "isBatch" | "sendAt" | "batchId">,
  ids: readonly string[],
): ProviderResponse {
  const shown = isBatch ? { messageIds: ids } : { messageId: ids[0] };
  return sendAt === null ? jsonResponse(201, shown) : jsonResponse(202, { ...shown, batchId });
}

async function toEmail(send: BrevoSend, version: MailVersion, call: Call): Promise<SubmittedEmail> {
  const { subject, text, html, sender, replyTo } = await renderVersion(version, call);
  const from = send.sender ?? sender;
  if (from === null) throw missing("sender");
  const { to, cc, bcc, templateId, params } = version;
  const { headers, attachments, tags, sendAt } = send;
  return {
    content: { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments },
    mailFrom: from.address,
    recipients: [...to, ...cc, ...bcc].map(({ address }) => address),
    facts: {
      tags,
      metadata: customOf(headers),
      template: templateId === null ? null : { id: String(templateId), data: params ?? {} },
    },
    sendAt,
    identify: (uuid) => ({ providerId: messageIdOf(uuid), messageId: messageIdOf(uuid) }),
  };
}

/** Returns the header field that events repeat, as metadata. */
function customOf(headers: BrevoSend["headers"]): Readonly<Record<string, string>> {
  const custom = headers.find(([name]) => name.toLowerCase() === customHeader.toLowerCase());
  return custom === undefined ? {} : { [customHeader]: custom[1] };
}
