/** Sending, and reading of sent and scheduled mail. */
import { uuidOfDigits, digitsOfUuid } from "../formats/uuid.ts";
import { randomBytes } from "node:crypto";
import type { DraftMailbox, StoredEmail, SubmittedEmail } from "../email.ts";
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { anyEmail, emailOf, submitAll } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { onProblem, Rejection, settle } from "../kit/rejection.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { errorsOf, invalid, noServer, notFound, rejection } from "./errors.ts";
import { readMailerSendBody, readMailerSendSend, type MailerSendSend } from "./request.ts";
import { domainOf, instantText, pageOf, pageResponse, readPage } from "./response.ts";
import { findSuppressed, type SuppressedRecipient } from "./suppressions.ts";
import { renderContent } from "./templates.ts";

const bulkCountMax = 500;
/** For how long the status of a bulk request, and a scheduled mail that has arrived, are found. */
const keptMs = 7 * 24 * 3_600_000;

/** Mails of one request, and the recipients that they leave out. */
interface Composed {
  readonly emails: readonly SubmittedEmail[];
  readonly suppressed: readonly SuppressedRecipient[];
}

/** Sends a mail: `POST /email`. */
export const sendEmail: Handler = async (call) => {
  const { emails, suppressed } = await compose(readMailerSendBody(call.request.body), call);
  const [first] = await submit(emails, call);
  const headers = first === undefined ? {} : { "X-Message-Id": first };
  if (suppressed.length === 0)
    return { status: 202, headers, body: { contentType: "text/html; charset=UTF-8", text: "" } };
  const [type, amount] = first === undefined ? ["ALL_SUPPRESSED", "All"] : ["SOME_SUPPRESSED", "Some"];
  const warning = `${amount} of the recipients have been suppressed.`;
  const warnings = [{ type, warning, recipients: suppressed }];
  return { ...jsonResponse(202, { message: "There are some warnings for your request.", warnings }), headers };
};

/** Stores mails, and returns the ids of those that a server received. Rejects when no server receives any of them. */
async function submit(emails: Composed["emails"], call: Call): Promise<readonly string[]> {
  const accepted = await submitAll(call.session, emails, noServer);
  for (const { email, providerId } of accepted) {
    // The list of mail does not contain scheduled ones that have not arrived.
    if (email.sendAt !== null) await openSchedule(call).create(providerId, true, { expiresAt: email.sendAt + keptMs });
  }
  return accepted.map(({ providerId }) => providerId);
}

/** Composes a mail: one for each group of recipients that have the same data. */
async function compose(value: unknown, call: Call): Promise<Composed> {
  const send = readMailerSendSend(value, call.services.now());
  const { to, cc, bcc } = send.draft;
  const recipients = send.rcptTo ?? [...to, ...cc, ...bcc];
  const suppressed = await findSuppressed(call, recipients);
  const refused = new Set(suppressed.map(({ email }) => email));
  const reached = recipients.filter(({ address }) => !refused.has(address));
  const groups = Map.groupBy(reached, (one) => JSON.stringify(dataOf(one, send)));
  const emails: SubmittedEmail[] = [];
  for (const own of groups.values()) emails.push(await composeFor(own, send, call));
  return { emails, suppressed };
}

/** Returns the data of a recipient. Those of `cc` and `bcc` without data of their own get a copy of the first mail. */
function dataOf({ address }: DraftMailbox, { personalization, draft }: MailerSendSend): JsonObject | null {
  if (personalization === null) return null;
  const key = address.toLowerCase();
  const isTo = draft.to.some((one) => one.address.toLowerCase() === key);
  const [first = {}] = personalization.values();
  return personalization.get(key) ?? (isTo ? {} : first);
}

async function composeFor(own: readonly DraftMailbox[], send: MailerSendSend, call: Call): Promise<SubmittedEmail> {
  const { draft, templateId, tags, sendAt } = send;
  const data = own[0] === undefined ? null : dataOf(own[0], send);
  const { subject, text, html } = await renderContent({ ...draft, templateId, data }, call);
  // The sender of a template is known to MailerSend only.
  const from = draft.from ?? { name: "", address: `template-${derivedHex(8, templateId ?? "")}@mailersend.invalid` };
  const bcc = draft.bcc.filter((one) => own.includes(one));
  return emailOf(
    { ...draft, from, bcc, subject, text, html },
    {
      tags,
      template: templateId === null ? null : { id: templateId, data: data ?? {} },
      sendAt,
      recipients: own,
      identify: (uuid) => ({ providerId: digitsOfUuid(uuid), messageId: `<${digitsOfUuid(uuid)}@mailersend.net>` }),
    },
  );
}

/** States of bulk requests as they are shown. */
const openBulk = collectionOf<JsonObject>("bulk");

/** Sends several mails, of which the valid ones are stored: `POST /bulk-email`. The id of the request is that of its first mail. */
export const sendBulk: Handler = async (call) => {
  const items = readMailerSendBody(call.request.body);
  if (!Array.isArray(items)) throw rejection(400, "The bulk request sent is malformed. #MS40001");
  if (items.length === 0) throw rejection(422, "The email objects are required. #MS42230");
  if (items.length > bulkCountMax) {
    throw rejection(422, `The number of email objects must not be greater than ${bulkCountMax}. #MS42229`);
  }
  const composed: (Composed | Rejection)[] = [];
  for (const item of items) composed.push(await settle(compose(item, call)));
  const valid = composed.flatMap((one) => (one instanceof Rejection ? [] : [one]));
  const emails = valid.flatMap((one) => one.emails);
  const messages = await submit(emails, call);
  const id = messages[0] ?? randomBytes(16).toString("hex");
  const suppressed = byItem(composed, (one) => (one instanceof Rejection ? [] : one.suppressed));
  const errors = byItem(composed, (one) => (one instanceof Rejection ? errorsOf(one) : {}));
  const now = call.services.now();
  const bulk = {
    id,
    state: "completed",
    total_recipients_count: emails.reduce((sum, one) => sum + one.recipients.length, suppressed.count),
    suppressed_recipients_count: suppressed.count,
    suppressed_recipients: suppressed.items,
    validation_errors_count: errors.count,
    validation_errors: errors.items,
    messages_id: messages,
    created_at: instantText(now),
    updated_at: instantText(now),
  };
  await openBulk(call).create(id, bulk, { expiresAt: now + keptMs });
  return jsonResponse(202, { message: "The bulk email is being processed.", bulk_email_id: id });
};

/** Returns what items have, by their index, and its number; null when no item has anything. */
function byItem<Item>(items: readonly Item[], valuesOf: (item: Item) => object) {
  const found = items.map((item, at) => [`message.${at}`, valuesOf(item)] as const);
  const present = found.filter(([, values]) => Object.keys(values).length > 0);
  const count = present.reduce((sum, [, values]) => sum + Object.keys(values).length, 0);
  return { items: present.length === 0 ? null : Object.fromEntries(present), count };
}

/** Returns the state of a bulk request: `GET /bulk-email/:id`. */
export const getBulk: Handler = async (call) =>
  jsonResponse(200, { data: await openBulk(call).open(call.request.params["id"] ?? "", notFound) });

/** Lists messages, newest first: `GET /messages`. */
export const listMessages: Handler = async ({ request, session }) => {
  const range = readPage(request);
  const page = range.page - 1;
  const { emails, hasMore } = await session.listEmails({ ...anyEmail, page, itemsPerPage: range.limit });
  return pageResponse(request, range, { items: emails.map(messageItem), hasMore });
};

/** Returns a message with its mail: `GET /messages/:id`. */
export const getMessage: Handler = async (call) => {
  const email = await openEmail(call.request.params["id"] ?? "", call);
  const { message, facts, status } = email;
  const from = message.from[0]?.email ?? "";
  const { id, ...at } = messageItem(email);
  const [recipient] = [...message.to, ...message.cc, ...message.bcc];
  const mail = {
    id,
    from,
    subject: message.subject,
    text: message.text.body,
    html: message.html.body,
    tags: facts.tags,
    status: status === "scheduled" ? "queued" : status,
    recipient: { id: derivedHex(24, recipient?.email ?? ""), email: recipient?.email ?? "", ...at, deleted_at: "" },
    ...at,
  };
  return jsonResponse(200, { data: { id, ...at, emails: [mail], domain: domainOf(from, email.createdAt) } });
};

async function openEmail(id: string, { session }: Pick<Call, "session">): Promise<StoredEmail> {
  return onProblem("not_found", session.getEmail(uuidOfDigits(id)), notFound);
}

function messageItem({ providerId, createdAt }: StoredEmail) {
  const at = instantText(createdAt);
  return { id: providerId, created_at: at, updated_at: at };
}

/** Ids of scheduled mails. */
const openSchedule = collectionOf<true>("schedule");

/** Lists scheduled mail, and mail that was scheduled: `GET /message-schedules`. */
export const listSchedules: Handler = async (call) => {
  const wanted = fieldOf(call.request.fields, "status");
  if (wanted !== undefined && !["scheduled", "sent", "error"].includes(wanted)) {
    throw invalid(["status", "The selected status is invalid."]);
  }
  const found: JsonObject[] = [];
  for (const { id } of await openSchedule(call).objects()) {
    const email = await onProblem("not_found", call.session.getEmail(uuidOfDigits(id)), () => undefined);
    if (email !== undefined) found.push(scheduleItem(email));
  }
  return pageOf(
    call.request,
    found.filter(({ status }) => wanted === undefined || status === wanted),
  );
};

/** Returns a scheduled mail: `GET /message-schedules/:id`. */
export const getSchedule: Handler = async (call) => {
  const email = await openEmail(call.request.params["id"] ?? "", call);
  if (email.sendAt === null) throw notFound();
  const domain = domainOf(email.message.from[0]?.email ?? "", email.createdAt);
  return jsonResponse(200, { data: { ...scheduleItem(email), domain, message: messageItem(email) } });
};

function scheduleItem({ providerId, createdAt, sendAt, status, message }: StoredEmail): JsonObject {
  return {
    message_id: providerId,
    subject: message.subject,
    send_at: instantText(sendAt ?? createdAt),
    status: status === "scheduled" ? "scheduled" : "sent",
    status_message: null,
    created_at: instantText(createdAt),
  };
}

/** Cancels a scheduled mail: `DELETE /message-schedules/:id`. */
export const deleteSchedule: Handler = async (call) => {
  const { id = "" } = call.request.params;
  const text = "This message is scheduled to be sent shortly or has already been sent, it's not possible to delete it.";
  const cancelled = call.session.cancelEmail(uuidOfDigits(id));
  await onProblem(["not_found", "conflict"], cancelled, () => rejection(404, text));
  await openSchedule(call).remove(id);
  return noContent;
};
