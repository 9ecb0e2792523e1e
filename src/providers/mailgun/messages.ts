/** Endpoints that send messages and read them back. */
import { randomUUID } from "node:crypto";
import type { StoredEmail, SubmittedEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { anyEmail, wholeEmailOf } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { composeEmails, composeMime, type SendContext } from "./compose.ts";
import { mailgunError, texts } from "./errors.ts";
import { readBody, readMessageRequest, readMimeRequest, readRecipients, requireDomain } from "./request.ts";
import { contactText, domainOfId, envelopeOf, mailgunIdOf, queued, uuidOfStorageKey } from "./response.ts";
import { openTemplates, renderStored } from "./templates.ts";

/** Sends a message of form fields: `POST /v3/:domain/messages`. */
export const sendMessage: Handler = async (call) => {
  const context = contextOf(call);
  const message = await readMessageRequest(call.request, context.now);
  const { template } = message.facts;
  const stored = openTemplates(call.session, context.domain);
  const choice = template === null ? null : { ...template, version: message.version };
  const rendered = choice === null ? undefined : await renderStored(stored, call.services, choice);
  const emails = composeEmails(message, rendered, context);
  return submit(call, message.isTest ? [] : emails, context);
};

/** Sends a whole mail: `POST /v3/:domain/messages.mime`. */
export const sendMime: Handler = async (call) => {
  const context = contextOf(call);
  const message = await readMimeRequest(call.request, context.now);
  return submit(call, message.isTest ? [] : [composeMime(message, context)], context);
};

/** Returns a stored message, with `Accept: message/rfc2822` its source: `GET /v3/domains/:domain/messages/:key`. */
export const getStored: Handler = async (call) => {
  const { email, uuid } = await findStored(call);
  if (!/\bmessage\/rfc2822\b/i.test(call.request.headers.accept ?? "")) return jsonResponse(200, storedMessage(email));
  const source = Buffer.from(await call.session.getRaw(uuid)).toString("utf8");
  return jsonResponse(200, { ...shownEnvelope(email), "body-mime": source });
};

/** Sends a stored message to other recipients: `POST /v3/domains/:domain/messages/:key`. */
export const resend: Handler = async (call) => {
  const context = contextOf(call);
  const { to: recipients } = readRecipients((await readBody(call.request)).fields);
  const { email, uuid } = await findStored(call);
  const content = await call.session.getRaw(uuid);
  const identify: SubmittedEmail["identify"] = (own) => ({ providerId: mailgunIdOf(own, context), messageId: null });
  const { sender: mailFrom } = envelopeOf(email);
  return submit(call, [wholeEmailOf(content, { ...email.facts, mailFrom, recipients, identify })], context);
};

/** Returns the message that the path names; rejects with Mailgun's 404 without one in the domain. */
async function findStored({
  session,
  request: { params },
}: Call): Promise<{ readonly email: StoredEmail; readonly uuid: string }> {
  const domain = requireDomain(params["domain"] ?? "");
  const uuid = uuidOfStorageKey(params["key"] ?? "");
  if (uuid === "") throw mailgunError(texts.messageNotFound, "not_found");
  const email = await session.getEmail(uuid);
  if (domainOfId(email.providerId) !== domain.toLowerCase()) throw mailgunError(texts.messageNotFound, "not_found");
  return { email, uuid };
}

function contextOf({ request, services }: Call): SendContext {
  return { domain: requireDomain(request.params["domain"] ?? ""), now: services.now() };
}

/** Test mode submits nothing. The response has the id of the first mail. */
async function submit(
  { session }: Call,
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
const shownFields: ReadonlySet<string> = new Set(
  "content-transfer-encoding content-type from message-id mime-version subject to x-mailgun-tag cc reply-to date".split(
    " ",
  ),
);

function shownEnvelope(email: StoredEmail): JsonObject {
  const envelope = envelopeOf(email);
  return { ...envelope, recipients: envelope.recipients.join(", ") };
}

function storedMessage(email: StoredEmail): JsonObject {
  const { message, facts, providerId } = email;
  const { headers } = message.metadata;
  const text = message.text.body ?? "";
  const html = message.html.body;
  const shown = headers.filter(({ field }) => shownFields.has(field.toLowerCase()));
  return {
    From: envelopeOf(email).from,
    Subject: message.subject,
    To: message.to.map(contactText).join(", "),
    "Message-Id": providerId,
    ...Object.fromEntries(shown.map(({ field, value }) => [field, value])),
    ...shownEnvelope(email),
    "body-plain": text,
    "stripped-text": text,
    "stripped-signature": "",
    ...(html !== null && { "body-html": html, "stripped-html": html }),
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

/** Newest mails whose domains are listed. */
const mailCount = 25;

/** Lists the domains of the newest mails: `GET /v3/domains` and `GET /v4/domains`. */
export const listDomains: Handler = async ({ session }) => {
  const { emails } = await session.listEmails({ ...anyEmail, page: 0, itemsPerPage: mailCount });
  const created = new Map(emails.map(({ providerId, createdAt }) => [domainOfId(providerId), createdAt] as const));
  const items = [...created].map(([name, createdAt]) => domainOf(name, createdAt));
  return jsonResponse(200, { total_count: items.length, items });
};

/** Returns one domain: `GET /v3/domains/:domain` and `GET /v4/domains/:domain`. */
export const getDomain: Handler = async ({ request, services }) => {
  const name = requireDomain(request.params["domain"] ?? "").toLowerCase();
  const domain = domainOf(name, services.now());
  return jsonResponse(200, { domain, receiving_dns_records: [], sending_dns_records: [] });
};

function domainOf(name: string, createdAt: number): JsonObject {
  return {
    created_at: new Date(createdAt).toUTCString(),
    id: Buffer.from(name).toString("hex").padEnd(24, "0").slice(0, 24),
    name,
    type: "custom",
    state: "active",
    is_disabled: false,
    smtp_login: `postmaster@${name}`,
    spam_action: "disabled",
    wildcard: false,
    require_tls: false,
    skip_verification: false,
    web_prefix: "email",
    web_scheme: "https",
  };
}
