/** Endpoints that send messages and read them back. */
import { randomUUID } from "node:crypto";
import type { EmailSession, StoredEmail, SubmittedEmail } from "../email.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { composeEmails, type AppliedTemplate, type SendContext } from "./compose.ts";
import { mailgunError, texts } from "./errors.ts";
import { composeMime } from "./mime-message.ts";
import { readMessageRequest, readMimeRequest, requireDomain, type MessageRequest } from "./request.ts";
import { contactText, domainOfId, mailgunIdOf, queued, uuidOfStorageKey } from "./response.ts";
import { openTemplates, renderStored } from "./templates.ts";

/** Sends a message of form fields: `POST /v3/:domain/messages`. */
export async function sendMessage(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  const context = contextOf(request, services);
  const message = await readMessageRequest(request, context.now);
  const template = await applyTemplate(message, { session, services, domain: context.domain });
  const emails = composeEmails(message, template, context);
  return submit(session, message.options.isTest ? [] : emails, context);
}

/** Sends a whole mail: `POST /v3/:domain/messages.mime`. */
export async function sendMime(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "send");
  const context = contextOf(request, services);
  const message = await readMimeRequest(request, context.now);
  return submit(session, message.options.isTest ? [] : [composeMime(message, context)], context);
}

/** Returns a stored message: `GET /v3/domains/:domain/messages/:key`. */
export async function getStored(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "read");
  const domain = requireDomain(request.params["domain"] ?? "");
  if (request.headers.accept === "message/rfc2822") throw mailgunError(texts.rawNotEmulated);
  const uuid = uuidOfStorageKey(request.params["key"] ?? "");
  if (uuid === "") throw mailgunError(texts.messageNotFound, "not_found");
  const email = await session.getEmail(uuid);
  if (domainOfId(email.providerId) !== domain.toLowerCase()) throw mailgunError(texts.messageNotFound, "not_found");
  return jsonResponse(200, storedMessage(email));
}

function contextOf({ params }: ProviderRequest, services: ProviderServices): SendContext {
  return { domain: requireDomain(params["domain"] ?? ""), now: services.now() };
}

async function applyTemplate(
  { template, options }: MessageRequest,
  { session, services, domain }: { session: EmailSession; services: ProviderServices; domain: string },
): Promise<AppliedTemplate | null> {
  if (template === null) return null;
  const { name, version, variables } = template;
  const data = { ...options.metadata, ...variables };
  const rendered = await renderStored(openTemplates(session, domain), services, { name, version, data });
  return { id: name, data, rendered: rendered ?? null };
}

/** Test mode submits nothing. The response has the id of the first mail. */
async function submit(
  session: EmailSession,
  emails: readonly SubmittedEmail[],
  context: SendContext,
): Promise<ProviderResponse> {
  if (emails.length === 0) return queued(mailgunIdOf(randomUUID(), context));
  const submissions = await session.submitEmails(emails);
  const first = submissions.find(({ refusal }) => refusal === undefined);
  if (first?.refusal !== undefined || first === undefined) throw mailgunError(texts.noServer(context.domain));
  return queued(first.providerId);
}

/** Fields that are also members of their own, as Mailgun has them. */
const shownFields: ReadonlySet<string> = new Set([
  "content-transfer-encoding",
  "content-type",
  "from",
  "message-id",
  "mime-version",
  "subject",
  "to",
  "x-mailgun-tag",
  "cc",
  "reply-to",
  "date",
]);

function storedMessage({ message, facts, providerId }: StoredEmail): Readonly<Record<string, unknown>> {
  const { headers, mailFrom, rcptTo } = message.metadata;
  const text = message.text.body ?? "";
  const html = message.html.body;
  const shown = headers.filter(({ field }) => shownFields.has(field.toLowerCase()));
  const from = message.from.map(contactText).join(", ");
  const recipients = rcptTo.length > 0 ? rcptTo : [...message.to, ...message.cc, ...message.bcc];
  return {
    From: from,
    Subject: message.subject,
    To: message.to.map(contactText).join(", "),
    "Message-Id": providerId,
    ...Object.fromEntries(shown.map(({ field, value }) => [field, value])),
    sender: mailFrom ?? message.from[0]?.email ?? "",
    recipients: recipients.map(({ email }) => email ?? "").join(", "),
    from,
    subject: message.subject,
    "body-plain": text,
    "stripped-text": text,
    "stripped-signature": "",
    ...(html !== null && {
      "body-html": html,
      "stripped-html": html,
    }),
    attachments: message.attachments.map(({ url, contentType, fileName, length }) => ({
      url,
      "content-type": contentType,
      name: fileName,
      size: length,
    })),
    "message-headers": headers.map(({ field, value }) => [field, value]),
    ...(facts.template !== null && {
      "X-Mailgun-Template-Name": facts.template.id,
      "X-Mailgun-Template-Variables": JSON.stringify(facts.template.data),
    }),
  };
}
