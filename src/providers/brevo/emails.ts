/** Sent mail: lists, events, and the status and cancellation of scheduled mail. */
import type { StoredEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { anyEmail } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { changeObject } from "../kit/objects.ts";
import { jsonResponse, noContent, type ProviderSession } from "../provider.ts";
import { invalid, rejection } from "./errors.ts";
import { instantText, uuidOfId } from "./response.ts";

const batchKind = "batch";
const limitMax = 500;
const reachMax = 1000;

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
  const mail = await onProblem("not_found", session.getEmail(request.params["id"] ?? ""), () => {
    throw rejection("document_not_found", "UUID not found");
  });
  const { date, email, subject, templateId } = mailItem(mail);
  const { html, text, attachments } = mail.message;
  const events = mail.status === "scheduled" ? [] : ["sent", "delivered"].map((name) => ({ name, time: date }));
  const body = html.body ?? text.body ?? "";
  const shown = { email, subject, date, events, body, attachmentCount: attachments.length };
  return jsonResponse(200, { ...shown, ...(templateId !== undefined && { templateId }) });
};

/** Events of a mail in the order in which lists show them. */
const eventNames = ["delivered", "requests"] as const;

interface FoundMails {
  readonly mails: readonly StoredEmail[];
  /** Number of matching mails without paging, at most 1000. */
  readonly count: number;
}

async function findMails({ request, session }: Call): Promise<FoundMails> {
  const field = (name: string): string | null => fieldOf(request.fields, name) ?? null;
  const limit = readCount(field("limit"), limitMax, limitMax);
  const offset = readCount(field("offset"), 0, reachMax);
  const messageId = field("messageId");
  const templateId = field("templateId");
  const { emails } = await session.listEmails({
    ...anyEmail,
    tag: field("tags"),
    to: field("email"),
    since: readDay(field("startDate")),
    before: endOf(readDay(field("endDate"))),
    page: 0,
    itemsPerPage: reachMax,
  });
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

function readCount(text: string | null, absent: number, max: number): number {
  if (text === null) return absent;
  if (!/^\d{1,6}$/.test(text) || Number(text) > max) throw rejection("out_of_range", "Limit exceeds max value");
  return Number(text);
}

const dayMs = 24 * 3_600_000;

function readDay(text: string | null): number | null {
  if (text === null) return null;
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) throw invalid("Dates must have the format YYYY-MM-DD");
  return instant;
}

function endOf(day: number | null): number | null {
  return day === null ? null : day + dayMs;
}

/** Adds mails to a batch of scheduled mail. */
export async function storeBatch(
  { objects }: Pick<ProviderSession, "objects">,
  batchId: string,
  uuids: readonly string[],
): Promise<void> {
  await changeObject(objects, { kind: batchKind, id: batchId }, (present) => ({
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
  if (found.length === 0) throw rejection("document_not_found", "No email found for the given identifier");
  return found;
}
