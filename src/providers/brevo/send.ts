import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { EmailSubmission, SubmittedEmail } from "../email.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { answered, BrevoRejection, invalid, missing } from "./errors.ts";
import { readBrevoBody, readBrevoSend, type BrevoSend, type MailVersion } from "./request.ts";
import { customHeader, messageIdOf } from "./response.ts";
import { storeBatch } from "./schedule.ts";
import { renderVersion } from "./templates.ts";

const keyLengthMax = 256;

interface Caller {
  readonly session: ProviderSession;
  readonly services: ProviderServices;
}

/** Sends a mail or the versions of one: `POST /v3/smtp/email`. */
export async function sendMail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  return answered(async () => {
    const body = readBrevoBody(request.body);
    const send = readBrevoSend(body, services.now());
    const emails = await Promise.all(
      send.versions.map(async (version) => toEmail(send, version, { session, services })),
    );
    const submit = async (): Promise<ProviderResponse> => submitMails(send, emails, session);
    if (send.idempotencyKey === null || send.isSandbox) return submit();
    return once(send.idempotencyKey, { session, content: body }, submit);
  });
}

async function submitMails(
  send: BrevoSend,
  emails: readonly SubmittedEmail[],
  session: ProviderSession,
): Promise<ProviderResponse> {
  if (send.isSandbox)
    return sentResponse(
      send,
      emails.map(() => ({ messageId: messageIdOf(randomUUID()), uuid: "" })),
    );
  const submissions = await session.submitEmails(emails);
  const accepted = submissions.flatMap(acceptedMail);
  if (accepted.length === 0) throw invalid("No server receives mail for the recipients");
  const batchId = send.sendAt === null ? null : (send.batchId ?? randomUUID());
  if (batchId !== null)
    await storeBatch(
      session,
      batchId,
      accepted.map(({ uuid }) => uuid),
    );
  return sentResponse({ ...send, batchId }, accepted);
}

interface AcceptedMail {
  readonly messageId: string;
  readonly uuid: string;
}

function acceptedMail(one: EmailSubmission): readonly AcceptedMail[] {
  return one.refusal === undefined ? [{ messageId: one.providerId, uuid: one.uuid }] : [];
}

function sentResponse(
  { isBatch, sendAt, batchId }: Pick<BrevoSend, "isBatch" | "sendAt" | "batchId">,
  mails: readonly AcceptedMail[],
): ProviderResponse {
  const ids = mails.map(({ messageId }) => messageId);
  const shown = isBatch ? { messageIds: ids } : { messageId: ids[0] };
  return sendAt === null ? jsonResponse(201, shown) : jsonResponse(202, { ...shown, batchId });
}

async function toEmail(send: BrevoSend, version: MailVersion, caller: Caller): Promise<SubmittedEmail> {
  const { subject, text, html, sender, replyTo } = await renderVersion(version, caller);
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

/** Responds once for the `Idempotency-Key` of the mail's header fields. */
async function once(
  key: string,
  { session, content }: { readonly session: ProviderSession; readonly content: unknown },
  respond: () => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  if (key === "" || key.length > keyLengthMax) throw invalid("Idempotency-Key is not valid");
  try {
    return await session.once(key, content, respond);
  } catch (error) {
    if (error instanceof Problem && error.code === "conflict") {
      throw new BrevoRejection("duplicate_parameter", "Idempotency-Key was used with another request");
    }
    throw error;
  }
}
