/** Mail: sending, lists, events, and the status and cancellation of scheduled mail. */
import { randomUUID } from "node:crypto";
import type { StoredEmail, SubmittedEmail } from "../email.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { anyEmail, emailOf, submitAll } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeObject } from "../kit/objects.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse, noContent, type ProviderResponse } from "../provider.ts";
import { invalid, missing, notFound, rejection } from "./errors.ts";
import { readBrevoBody, readBrevoSend, type BrevoSend, type MailVersion } from "./request.ts";
import { customHeader, instantText, messageIdOf, uuidOfId } from "./response.ts";
import { renderVersion } from "./templates.ts";

const batchKind = "batch";
const limitMax = 500;
const reachMax = 1000;
const dayMs = 24 * 3_600_000;
const dayLength = "2026-01-31".length;
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
  return onProblem("conflict", call.session.once(key, body, submit), () =>
    rejection("duplicate_parameter", "Idempotency-Key was used with another request"),
  );
};

async function submitMails(send: BrevoSend, emails: readonly SubmittedEmail[], call: Call): Promise<ProviderResponse> {
  const uuids = (await submitAll(call.session, emails, noServer)).map(({ uuid }) => uuid);
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

/** Lists mail, newest first: `GET /v3/smtp/emails`. */
export const listMails: Handler = async (call) => {
  const given = ["email", "templateId", "messageId"].some((name) => fieldOf(call.request.fields, name) !== undefined);
  if (!given) throw rejection("missing_parameter", "One of email, templateId or messageId is mandatory");
  const { mails, count } = await findMails(call);
  return jsonResponse(200, { count, transactionalEmails: mails.map(mailItem) });
};

/** Lists the events of mail, newest first: `GET /v3/smtp/statistics/events`. */
export const listEvents: Handler = async (call) => {
  const { mails } = await findMails(call);
  const wanted = fieldOf(call.request.fields, "event");
  const events = mails.flatMap((mail) => {
    const { uuid: _uuid, tags: _tags, ...item } = mailItem(mail);
    const [tag] = mail.facts.tags;
    return eventNames.map((event) => ({ ...item, event, ...(tag !== undefined && { tag }) }));
  });
  return jsonResponse(200, { events: events.filter(({ event }) => wanted === undefined || event === wanted) });
};

/** Returns a mail with its HTML, or its text without HTML: `GET /v3/smtp/emails/:uuid`. */
export const getMail: Handler = async ({ request, session }) => {
  const mail = await onProblem("not_found", session.getEmail(request.params["id"] ?? ""), () =>
    notFound("UUID not found"),
  );
  const { date, email, subject, templateId } = mailItem(mail);
  const { html, text, attachments } = mail.message;
  const events = mail.status === "scheduled" ? [] : ["sent", "delivered"].map((name) => ({ name, time: date }));
  const body = html.body ?? text.body ?? "";
  const shown = { email, subject, date, events, body, attachmentCount: attachments.length };
  return jsonResponse(200, { ...shown, ...(templateId !== undefined && { templateId }) });
};

/** Events of a mail in the order in which lists show them. */
const eventNames = ["delivered", "requests"] as const;

/** Returns the page of matching mails that a request asks for, and the number of all of them, at most 1000. */
async function findMails({ request: { fields }, session }: Call) {
  const field = (name: string): string | null => fieldOf(fields, name) ?? null;
  const day = (name: string, dayCount: number): number | null => {
    const text = field(name);
    const instant = text === null ? null : text.length === dayLength ? readIsoInstant(text) : undefined;
    if (instant === undefined) throw invalid("Dates must have the format YYYY-MM-DD");
    return instant === null ? null : instant + dayCount * dayMs;
  };
  const outOfRange = rejection("out_of_range", "Limit exceeds max value");
  const limit = naturalOf(fields, "limit", { absent: limitMax, max: limitMax, invalid: outOfRange });
  const offset = naturalOf(fields, "offset", { absent: 0, max: reachMax, invalid: outOfRange });
  const [messageId, templateId] = [field("messageId"), field("templateId")];
  const period = { since: day("startDate", 0), before: day("endDate", 1) };
  const filter = { ...anyEmail, ...period, tag: field("tags"), to: field("email") };
  const { emails } = await session.listEmails({ ...filter, page: 0, itemsPerPage: reachMax });
  const uuid = messageId === null ? null : uuidOfId(messageId);
  const matching = emails.filter(
    ({ providerId, facts }) =>
      (uuid === null || uuidOfId(providerId) === uuid) && (templateId === null || facts.template?.id === templateId),
  );
  const ordered = field("sort") === "asc" ? matching.toReversed() : matching;
  return { mails: ordered.slice(offset, offset + limit), count: matching.length };
}

function mailItem({ providerId, createdAt, facts, message }: StoredEmail) {
  const { template, tags } = facts;
  return {
    email: message.to[0]?.email ?? "",
    subject: message.subject,
    messageId: providerId,
    uuid: uuidOfId(providerId),
    date: instantText(createdAt),
    from: message.from[0]?.email ?? "",
    tags,
    ...(template !== null && { templateId: Number(template.id) }),
  };
}

/** Adds mails to a batch of scheduled mail. */
async function storeBatch({ session }: Call, id: string, uuids: readonly string[]): Promise<void> {
  await changeObject(session.objects, { kind: batchKind, id }, (present) => ({
    result: undefined,
    change: { value: [...((present as readonly string[] | undefined) ?? []), ...uuids] },
  }));
}

/** Cancels the scheduled mails of a message id or of a batch: `DELETE /v3/smtp/email/:id`. */
export const cancelMail: Handler = async (call) => {
  const scheduled = (await openMails(call)).filter(({ status }) => status === "scheduled");
  if (scheduled.length === 0) throw rejection("bad_request", "The email has already been sent");
  for (const { providerId } of scheduled) await call.session.cancelEmail(uuidOfId(providerId));
  return noContent;
};

/** Returns the status of a message id or of a batch: `GET /v3/smtp/emailStatus/:id`. */
export const getStatus: Handler = async (call) => {
  const mails = (await openMails(call)).map(({ createdAt, sendAt, status }) => ({
    createdAt: instantText(createdAt),
    scheduledAt: instantText(sendAt ?? createdAt),
    status: status === "scheduled" ? "queued" : "processed",
  }));
  const isBatch = uuidOfId(call.request.params["id"] ?? "") === "";
  return jsonResponse(200, isBatch ? { count: mails.length, batches: mails } : mails[0]);
};

/** Returns the mails of a message id or of a batch, at least one. */
async function openMails({ session, request }: Call): Promise<readonly StoredEmail[]> {
  const id = request.params["id"] ?? "";
  const own = uuidOfId(id);
  const batch = own === "" ? await session.objects.get(batchKind, id.toLowerCase()) : undefined;
  const uuids = own === "" ? ((batch?.value as readonly string[] | undefined) ?? []) : [own];
  const mails = await Promise.all(
    uuids.map(async (uuid) => onProblem("not_found", session.getEmail(uuid), () => undefined)),
  );
  const found = mails.filter((one) => one !== undefined);
  if (found.length === 0) throw notFound("No email found for the given identifier");
  return found;
}
