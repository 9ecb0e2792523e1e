import { Problem } from "../../core/errors.ts";
import type { StoredEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { answered, BrevoRejection, invalid } from "./errors.ts";
import { instantText, uuidOfId } from "./response.ts";

const limitMax = 500;
const reachMax = 1000;

/** Lists mail, newest first: `GET /v3/smtp/emails`. */
export async function listMails(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return answered(async () => {
    const given = ["email", "templateId", "messageId"].some((name) => fieldOf(request.fields, name) !== undefined);
    if (!given) throw new BrevoRejection("missing_parameter", "One of email, templateId or messageId is mandatory");
    const { mails, count } = await findMails(request, services);
    return jsonResponse(200, { count, transactionalEmails: mails.map(mailItem) });
  });
}

/** Lists the events of mail, newest first: `GET /v3/smtp/statistics/events`. */
export async function listEvents(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  return answered(async () => {
    const { mails } = await findMails(request, services);
    const wanted = fieldOf(request.fields, "event");
    const events = mails.flatMap((mail) => {
      const { uuid: _uuid, tags: _tags, ...item } = mailItem(mail);
      const [tag] = mail.facts.tags;
      return eventNames.map((event) => ({ ...item, event, ...(tag !== undefined && { tag }) }));
    });
    return jsonResponse(200, { events: events.filter(({ event }) => wanted === undefined || event === wanted) });
  });
}

/** Returns a mail with its HTML, or its text without HTML: `GET /v3/smtp/emails/:uuid`. */
export async function getMail(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const session = await services.authenticate(request.key, "read");
  return answered(async () => {
    try {
      const mail = await session.getEmail(request.params["id"] ?? "");
      const { date, email, subject, templateId } = mailItem(mail);
      const { html, text, attachments } = mail.message;
      const events = mail.status === "scheduled" ? [] : ["sent", "delivered"].map((name) => ({ name, time: date }));
      const body = html.body ?? text.body ?? "";
      const shown = { email, subject, date, events, body, attachmentCount: attachments.length };
      return jsonResponse(200, { ...shown, ...(templateId !== undefined && { templateId }) });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "not_found") throw error;
      throw new BrevoRejection("document_not_found", "UUID not found");
    }
  });
}

/** Events of a mail in the order in which lists show them. */
const eventNames = ["delivered", "requests"] as const;

interface FoundMails {
  readonly mails: readonly StoredEmail[];
  /** Number of matching mails without paging, at most 1000. */
  readonly count: number;
}

async function findMails(request: ProviderRequest, services: ProviderServices): Promise<FoundMails> {
  const session = await services.authenticate(request.key, "read");
  const field = (name: string): string | null => fieldOf(request.fields, name) ?? null;
  const limit = readCount(field("limit"), limitMax, limitMax);
  const offset = readCount(field("offset"), 0, reachMax);
  const messageId = field("messageId");
  const templateId = field("templateId");
  const { emails } = await session.listEmails({
    tag: field("tags"),
    to: field("email"),
    from: null,
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
  if (!/^\d{1,6}$/.test(text) || Number(text) > max)
    throw new BrevoRejection("out_of_range", "Limit exceeds max value");
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
