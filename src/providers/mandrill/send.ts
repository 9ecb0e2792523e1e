/** Endpoints that send messages: https://mailchimp.com/developer/transactional/api/messages/ */
import { digitsOfUuid } from "../formats/uuid.ts";
import { randomUUID } from "node:crypto";
import type { DraftMailbox, EmailDraft, SubmittedEmail } from "../email.ts";
import { textOfHtml } from "../formats/html-text.ts";
import { plainTexts, type JsonObject } from "../formats/json-body.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import {
  batchCounter,
  emailOf,
  submitBatch,
  wholeEmailOf,
  type AcceptedEmail,
  ScheduledEmails,
} from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { rejectReasonOf } from "./account.ts";
import { errors } from "./errors.ts";
import { handler, readMessage, readSendAt, requiredText } from "./request.ts";
import type { MandrillCall, MandrillMessage, Recipient } from "./request.ts";
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

/** Recipients of a request, in order, and what decides whether they get a mail. */
interface Addressed extends Pick<MandrillMessage, "from" | "recipients" | "subaccount"> {
  readonly sendAt: number | null;
  readonly hasFiles: boolean;
}

/** Sends a message: `messages/send`. */
export const sendMessage: Handler = handler(async (call) =>
  sendEach(call, { ...readMessage(call.members), template: null }),
);

/** Sends a message with a stored template: `messages/send-template`. */
export const sendTemplate: Handler = handler(async (call) => {
  const given = readMessage(call.members);
  const stored = await openTemplate(call);
  const { address, name } = given.from;
  return sendEach(call, {
    ...given,
    from: { address: address || (stored.from_email ?? ""), name: name || (stored.from_name ?? "") },
    subject: given.subject || (stored.subject ?? ""),
    html: stored.code ?? given.html,
    text: stored.text ?? given.text,
    template: stored.slug,
  });
});

/** Message, and the slug of its stored template; null without one. */
type Sending = MandrillMessage & { readonly template: string | null };

/** Sends a mail to each recipient, or one to all of those that see each other and have nothing of their own. */
async function sendEach(call: MandrillCall, message: Sending): Promise<readonly JsonObject[]> {
  const { isShared, metadataOf, variablesOf, attachments } = message;
  const sendAt = readSendAt(call.members, call.services.now());
  const take = batchCounter(errors.tooLarge);
  return deliver(call, { ...message, sendAt, hasFiles: attachments.length > 0 }, async (accepted) => {
    const isOne = isShared && metadataOf.size === 0 && variablesOf.size === 0 && accepted.length > 0;
    const deliveries: Delivery[] = [];
    for (const recipients of isOne ? [accepted] : accepted.map((one) => [one])) {
      const shown = shownRecipients(isShared ? accepted : recipients, message);
      const email = await composeEmail(call, message, { sendAt, recipients, shown, take });
      deliveries.push({ recipients, email });
    }
    return deliveries;
  });
}

/** Recipients that do not see each other are in the To field, also those of copies. */
function shownRecipients(
  recipients: readonly Recipient[],
  message: MandrillMessage,
): Pick<EmailDraft, "to" | "cc" | "bcc"> {
  const ofType = (wanted: Recipient["type"]): readonly DraftMailbox[] =>
    recipients
      .filter(({ type }) => (message.isShared ? type : "to") === wanted)
      .map(({ name, address }) => ({ name, address }));
  return { to: ofType("to"), cc: ofType("cc"), bcc: [...ofType("bcc"), ...copiesOf(message)] };
}

function copiesOf({ copyTo }: MandrillMessage): readonly DraftMailbox[] {
  return copyTo === null ? [] : [{ name: "", address: copyTo }];
}

interface Composition {
  readonly sendAt: number | null;
  readonly recipients: readonly Recipient[];
  readonly shown: Pick<EmailDraft, "to" | "cc" | "bcc">;
  readonly take: (bytes: number) => void;
}

async function composeEmail(
  call: Call,
  message: Sending,
  { sendAt, recipients, shown, take }: Composition,
): Promise<SubmittedEmail> {
  const { attachments, headers, replyTo, tags, subaccount, template } = message;
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
  return emailOf(content, {
    tags,
    metadata: plainTexts({ ...message.metadata, ...message.metadataOf.get(key) }),
    template: template === null ? null : { id: template, data: variables },
    sendAt,
    identify,
    recipients: [...recipients, ...copiesOf(message)],
  });
}

/** Evaluates the merge tags of the subject, the name of the sender and the bodies; a mail without any has an empty text. */
async function renderParts(
  call: Call,
  { subject, text, html, from, language, isMerged, makesText }: MandrillMessage,
  variables: JsonObject,
): Promise<Pick<EmailDraft, "from" | "subject" | "text" | "html">> {
  const sources = { subject, text, html, name: from.name };
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
export const sendRaw: Handler = handler(async (call) => {
  const { members, services } = call;
  const raw = Buffer.from(requiredText(members, "raw_message"));
  const sendAt = readSendAt(members, services.now());
  const mail = readMailHeader(raw);
  const given = members.list("to").filter((one) => typeof one === "string");
  const found = [...mail.to, ...mail.cc, ...mail.bcc].flatMap(({ email }) => email ?? []);
  const recipients = Array.from(new Set(given.length > 0 ? given : found), (address): Recipient => {
    return { address, name: "", type: "to" };
  });
  const from = { name: "", address: (members.text("from_email") || mail.from[0]?.email) ?? "" };
  const tags = mail.headers.flatMap(({ field, value }) =>
    /^x-mc-tags$/i.test(field) ? value.split(",").map((tag) => tag.trim()) : [],
  );
  const addressed = { sendAt, from, recipients, subaccount: null, hasFiles: false };
  return deliver(call, addressed, async (accepted) => {
    const email = wholeEmailOf(raw, { mailFrom: from.address, recipients: accepted, tags, sendAt, identify });
    return accepted.length === 0 ? [] : [{ recipients: accepted, email }];
  });
});

/** Stores or schedules the mails to all recipients that get one, and responds with the outcome for each recipient. */
async function deliver(
  call: MandrillCall,
  { sendAt, recipients, hasFiles, ...sender }: Addressed,
  compose: (accepted: readonly Recipient[]) => Promise<readonly Delivery[]>,
): Promise<readonly JsonObject[]> {
  const deliveries: Delivery[] = [];
  const accepted: Recipient[] = [];
  for (const one of recipients) {
    const refusal = await refusalOf(call, one, sender);
    if (refusal === null) accepted.push(one);
    else deliveries.push({ recipients: [one], email: refused(...refusal) });
  }
  deliveries.push(...(await compose(accepted)));
  const emails = deliveries.map(({ email }) => email);
  // No server of this service receives mail for the recipient.
  const outcomes = await submitBatch(call.session, emails, refused("rejected", "invalid"));
  const isLater = sendAt !== null && sendAt > call.services.now();
  const sent = isLater ? { status: "scheduled", queued_reason: null } : sentOf(call, recipients.length, hasFiles);
  const results = new Map<Recipient, JsonObject>();
  for (const [at, outcome] of outcomes.entries()) {
    if (isLater && !(outcome instanceof Rejection)) await addScheduled(call, outcome, sendAt);
    for (const one of deliveries[at]?.recipients ?? []) results.set(one, resultOf(outcome, sent));
  }
  return recipients.map((one) => ({ email: one.address, ...results.get(one) }));
}

/** Returns why a recipient gets no mail; null when it gets one. */
async function refusalOf(
  call: Call,
  { address }: Recipient,
  { from, subaccount }: Pick<Addressed, "from" | "subaccount">,
): Promise<Refusal | null> {
  if (!isEmailAddress(address)) return ["invalid", null];
  const reason = from.address === "" ? "invalid-sender" : await rejectReasonOf(call, address, subaccount);
  return reason === null ? null : ["rejected", reason];
}

function refused(...refusal: Refusal): Rejection<Refusal> {
  return new Rejection(refusal, () => jsonResponse(500, refusal));
}

/** Recipients of a request that are sent to at once. */
const promptCountMax = 10;

function sentOf({ members }: MandrillCall, recipientCount: number, hasFiles: boolean): JsonObject {
  const reason = hasFiles ? "attachments" : recipientCount > promptCountMax ? "multiple-recipients" : null;
  const isQueued = members.flag("async") === true || reason !== null;
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
