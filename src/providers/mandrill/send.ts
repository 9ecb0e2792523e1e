/** Endpoints that send messages: https://mailchimp.com/developer/transactional/api/messages/ */
import { digitsOfUuid } from "../formats/uuid.ts";
import { randomUUID } from "node:crypto";
import type { DraftMailbox, EmailDraft, SubmittedEmail } from "../email.ts";
import { textOfHtml } from "../formats/html-text.ts";
import { plainTexts, type JsonObject } from "../formats/json-body.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { batchCounter, emailOf, submitBatch, type AcceptedEmail } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { Rejection } from "../kit/rejection.ts";
import { ScheduledEmails } from "../kit/scheduled.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { rejectReasonOf } from "./rejects.ts";
import { readMembers, readMessage, readSendAt, requiredText } from "./request.ts";
import type { MandrillMessage, Recipient, Values } from "./request.ts";
import { openTemplate, renderMerged } from "./templates.ts";

/** Scheduled mail as the API lists it; the instant in milliseconds since the Unix epoch. */
export interface ScheduledShown {
  readonly createdAt: number;
  readonly from_email: string;
  readonly to: string;
  readonly subject: string;
}

/** Outcome that prevents a mail, and its `reject_reason`. */
type Refusal = readonly [status: "rejected" | "invalid", reason: string | null];

/** Mail to some of the recipients of a request. */
interface Delivery {
  readonly recipients: readonly Recipient[];
  readonly email: SubmittedEmail | Rejection<Refusal>;
}

function refused(...refusal: Refusal): Rejection<Refusal> {
  return new Rejection(refusal, () => jsonResponse(500, refusal));
}

/** Sends a message: `messages/send`. */
export const sendMessage: Handler = async (call) => {
  const request = readMembers(call.request);
  return sendEach(call, request, { message: readMessage(request), template: null });
};

/** Sends a message with a stored template: `messages/send-template`. */
export const sendTemplate: Handler = async (call) => {
  const request = readMembers(call.request);
  const given = readMessage(request);
  const stored = await openTemplate(call, request);
  const { address, name } = given.from;
  const message = {
    ...given,
    from: { address: address || (stored.from_email ?? ""), name: name || (stored.from_name ?? "") },
    subject: given.subject || (stored.subject ?? ""),
    html: stored.code ?? given.html,
    text: stored.text ?? given.text,
  };
  return sendEach(call, request, { message, template: stored.slug });
};

interface Sending {
  readonly message: MandrillMessage;
  /** Slug of the stored template; null without one. */
  readonly template: string | null;
}

/** Sends a mail to each recipient, or one to all of those that see each other and have nothing of their own. */
async function sendEach(call: Call, request: Members, { message, template }: Sending): Promise<ProviderResponse> {
  const sendAt = readSendAt(request, call.services.now());
  const refusals = await refusalsOf(call, message);
  const accepted = message.recipients.filter((one) => !refusals.has(one));
  const isOne = message.isShared && message.metadataOf.size === 0 && message.variablesOf.size === 0;
  const groups = isOne && accepted.length > 0 ? [accepted] : accepted.map((one) => [one]);
  const take = batchCounter(errors.tooLarge);
  const deliveries: Delivery[] = [...refusals].map(([recipient, email]) => ({ recipients: [recipient], email }));
  for (const recipients of groups) {
    const shown = shownRecipients(message.isShared ? accepted : recipients, message);
    const email = await composeEmail(call, { message, template, sendAt, recipients, shown, take });
    deliveries.push({ recipients, email });
  }
  const { recipients, attachments } = message;
  return submit(call, request, { recipients, deliveries, sendAt, hasFiles: attachments.length > 0 });
}

/** Returns the recipients that get no mail, and why. */
async function refusalsOf(
  call: Call,
  { recipients, from, subaccount }: Pick<MandrillMessage, "recipients" | "from" | "subaccount">,
): Promise<ReadonlyMap<Recipient, Rejection<Refusal>>> {
  const refusals = new Map<Recipient, Rejection<Refusal>>();
  for (const recipient of recipients) {
    const reason = from.address === "" ? "invalid-sender" : await rejectReasonOf(call, recipient.address, subaccount);
    if (!isEmailAddress(recipient.address)) refusals.set(recipient, refused("invalid", null));
    else if (reason !== null) refusals.set(recipient, refused("rejected", reason));
  }
  return refusals;
}

/** Recipients that do not see each other are in the To field, also those of copies. */
function shownRecipients(
  recipients: readonly Recipient[],
  { isShared, copyTo }: MandrillMessage,
): Pick<EmailDraft, "to" | "cc" | "bcc"> {
  const ofType = (wanted: Recipient["type"]): readonly DraftMailbox[] =>
    recipients
      .filter(({ type }) => (isShared ? type : "to") === wanted)
      .map(({ name, address }) => ({ name, address }));
  const copies = copyTo === null ? [] : [{ name: "", address: copyTo }];
  return { to: ofType("to"), cc: ofType("cc"), bcc: [...ofType("bcc"), ...copies] };
}

interface Composition extends Sending {
  readonly sendAt: number | null;
  readonly recipients: readonly Recipient[];
  readonly shown: Pick<EmailDraft, "to" | "cc" | "bcc">;
  readonly take: (bytes: number) => void;
}

async function composeEmail(call: Call, composition: Composition): Promise<SubmittedEmail> {
  const { message, template, sendAt, recipients, shown, take } = composition;
  const { attachments, headers, replyTo, tags, subaccount, copyTo } = message;
  const key = recipients[0]?.address.toLowerCase() ?? "";
  const variables = { ...message.variables, ...message.variablesOf.get(key) };
  const parts = await renderParts(call, message, variables);
  take(attachments.reduce((sum, { content }) => sum + content.byteLength, (parts.html ?? parts.text ?? "").length));
  const content: EmailDraft = {
    ...parts,
    replyTo,
    ...shown,
    headers: subaccount === null ? headers : [...headers, ["X-MC-Subaccount", subaccount]],
    attachments,
  };
  const metadata = plainTexts({ ...message.metadata, ...message.metadataOf.get(key) });
  const facts = { tags, metadata, template: template === null ? null : { id: template, data: variables } };
  const envelope = [...recipients.map(({ address }) => address), ...(copyTo === null ? [] : [copyTo])];
  return { ...emailOf(content, { ...facts, sendAt, identify }), recipients: envelope };
}

/** Evaluates the merge tags of the subject, the name of the sender and the bodies; a mail without any has an empty text. */
async function renderParts(
  call: Call,
  { subject, text, html, from, language, isMerged, makesText }: MandrillMessage,
  variables: Values,
): Promise<Pick<EmailDraft, "from" | "subject" | "text" | "html">> {
  const sources: Readonly<Record<"subject" | "text" | "html" | "name", string | null>> = {
    subject,
    text,
    html,
    name: from.name,
  };
  const parts = isMerged ? await renderMerged(call, sources, { language, variables }) : sources;
  const made = parts.html === null ? "" : makesText ? textOfHtml(parts.html) : null;
  return {
    from: { address: from.address, name: parts.name ?? "" },
    subject: parts.subject ?? "",
    html: parts.html,
    text: parts.text ?? made,
  };
}

const identify: SubmittedEmail["identify"] = (uuid) => {
  const providerId = digitsOfUuid(uuid);
  return { providerId, messageId: `<${providerId}@mandrillapp.com>` };
};

/** Sends a whole mail: `messages/send-raw`. */
export const sendRaw: Handler = async (call) => {
  const request = readMembers(call.request);
  const raw = Buffer.from(requiredText(request, "raw_message"));
  const sendAt = readSendAt(request, call.services.now());
  const mail = readMailHeader(raw);
  const given = request.list("to").filter((one) => typeof one === "string");
  const found = [...mail.to, ...mail.cc, ...mail.bcc].flatMap(({ email }) => email ?? []);
  const recipients = [...new Set(given.length > 0 ? given : found)].map((address): Recipient => ({
    address,
    name: "",
    type: "to",
  }));
  const from = { name: "", address: (request.text("from_email") || mail.from[0]?.email) ?? "" };
  const refusals = await refusalsOf(call, { from, recipients, subaccount: null });
  const accepted = recipients.filter((one) => !refusals.has(one));
  const tags = mail.headers.flatMap(({ field, value }) =>
    /^x-mc-tags$/i.test(field) ? value.split(",").map((tag) => tag.trim()) : [],
  );
  const email: SubmittedEmail = {
    content: raw,
    mailFrom: from.address,
    recipients: accepted.map(({ address }) => address),
    facts: { tags, metadata: {}, template: null },
    sendAt,
    identify: (uuid) => ({ ...identify(uuid), messageId: null }),
  };
  const deliveries: Delivery[] = [...refusals].map(([recipient, one]) => ({ recipients: [recipient], email: one }));
  if (accepted.length > 0) deliveries.push({ recipients: accepted, email });
  return submit(call, request, { recipients, deliveries, sendAt, hasFiles: false });
};

interface Submission {
  /** All recipients of the request, in order. */
  readonly recipients: readonly Recipient[];
  readonly deliveries: readonly Delivery[];
  readonly sendAt: number | null;
  readonly hasFiles: boolean;
}

/** Recipients of a request that are sent to at once. */
const promptCountMax = 10;

/** Stores or schedules the mails, and responds with the outcome for each recipient. */
async function submit(
  call: Call,
  request: Members,
  { recipients, deliveries, sendAt, hasFiles }: Submission,
): Promise<ProviderResponse> {
  const emails = deliveries.map(({ email }) => email);
  // No server of this service receives mail for the recipient.
  const outcomes = await submitBatch(call.session, emails, refused("rejected", "invalid"));
  const isLater = sendAt !== null && sendAt > call.services.now();
  const sent = isLater ? { status: "scheduled", queued_reason: null } : sentOf(request, recipients.length, hasFiles);
  const results = new Map<Recipient, JsonObject>();
  for (const [at, outcome] of outcomes.entries()) {
    if (isLater && !(outcome instanceof Rejection)) await addScheduled(call, outcome, sendAt);
    for (const one of deliveries[at]?.recipients ?? []) results.set(one, resultOf(outcome, sent));
  }
  return jsonResponse(
    200,
    recipients.map((one) => ({ email: one.address, ...results.get(one) })),
  );
}

function sentOf(request: Members, recipientCount: number, hasFiles: boolean): JsonObject {
  const reason = hasFiles ? "attachments" : recipientCount > promptCountMax ? "multiple-recipients" : null;
  const isQueued = request.flag("async") === true || reason !== null;
  return { status: isQueued ? "queued" : "sent", queued_reason: reason };
}

async function addScheduled(call: Call, { email, uuid }: AcceptedEmail<SubmittedEmail>, sendAt: number): Promise<void> {
  const { content, mailFrom, recipients } = email;
  const { subject } = content instanceof Uint8Array ? readMailHeader(content) : content;
  const shown = { createdAt: call.services.now(), from_email: mailFrom, to: recipients[0] ?? "", subject };
  await new ScheduledEmails<ScheduledShown>(call.session).add({ uuid, sendAt, shown });
}

function resultOf(outcome: AcceptedEmail<SubmittedEmail> | Rejection, sent: JsonObject): JsonObject {
  if (!(outcome instanceof Rejection)) return { ...sent, _id: outcome.providerId, reject_reason: null };
  const [status, reason] = outcome.failure as Refusal;
  return { status, _id: digitsOfUuid(randomUUID()), reject_reason: reason, queued_reason: null };
}
