/** Endpoints of transmissions: https://developers.sparkpost.com/api/transmissions/ */
import { randomUUID } from "node:crypto";
import type { DraftMailbox, EmailDraft, SubmittedEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { plainTexts, type JsonObject } from "../formats/json-body.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { isEmailAddress, parseMailboxes } from "../formats/mailbox.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import { batchCounter, emailOf, submitBatch } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem, Rejection } from "../kit/rejection.ts";
import { ScheduledEmails, type ScheduledItem } from "../kit/scheduled.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { rejection } from "./errors.ts";
import { readMembers, readTransmission, type Content, type Recipient, type Transmission } from "./request.ts";
import { isSuppressed } from "./suppressions.ts";
import { openTemplate, substitute } from "./templates.ts";

/** Header field that names the campaign, as in mail by SMTP. */
export const campaignHeader = "X-MSYS-API";

/** Scheduled mail as transmissions are listed. */
interface ScheduledShown {
  readonly id: string;
  readonly campaign: string;
  readonly description: string;
  readonly template: string;
}

const noServer = rejection("noRecipients", "No server receives mail for the recipients");

/** Sends a transmission: `POST /transmissions`. */
export const sendTransmission: Handler = async (call) => {
  const transmission = readTransmission(readMembers(call.request), call.services.now());
  const { recipients, invalidCount } = transmission;
  const emails = await composeAll(call, transmission);
  const outcomes = await submitBatch(call.session, emails, noServer);
  const accepted = outcomes.flatMap((one) => (one instanceof Rejection ? [] : [one]));
  const lost = emails.length - accepted.length;
  if (lost > 0 && accepted.length === 0) throw noServer;
  const id = accepted[0]?.providerId ?? uuidToDecimal(randomUUID());
  await addScheduled(call, transmission, { id, uuids: accepted.map(({ uuid }) => uuid) });
  return jsonResponse(200, {
    results: {
      total_rejected_recipients: invalidCount + lost,
      total_accepted_recipients: recipients.length - lost,
      id,
    },
  });
};

/** Returns the mails to all recipients who are not suppressed. */
async function composeAll(call: Call, transmission: Transmission): Promise<readonly SubmittedEmail[]> {
  const { template, recipients, raw } = transmission;
  const content = template === null ? transmission.content : await openTemplate(call, template);
  const sent: Recipient[] = [];
  for (const one of recipients) {
    if (!(await isBlocked(call, transmission, one))) sent.push(one);
  }
  const take = batchCounter(() => rejection("invalidFormat", "The mails of all recipients together exceed 50 MB"));
  const emails: SubmittedEmail[] = [];
  for (const group of groupsOf(sent, transmission)) {
    take(content === null ? (raw ?? "").length : lengthOf(content));
    const email =
      content === null ? wholeEmail(transmission, group) : composeEmail(call, { ...transmission, content }, group);
    emails.push(await email);
  }
  return emails;
}

function lengthOf({ attachments, html, text }: Content): number {
  return attachments.reduce((sum, { content }) => sum + content.byteLength, (html ?? text ?? "").length);
}

async function addScheduled(
  call: Call,
  { sendAt, campaign, description, template }: Transmission,
  { id, uuids }: { readonly id: string; readonly uuids: readonly string[] },
): Promise<void> {
  if (sendAt === null || sendAt <= call.services.now()) return;
  const shown = { id, campaign, description, template: template?.id ?? "" };
  for (const uuid of uuids) await openScheduled(call).add({ uuid, sendAt, shown });
}

/** Suppressed recipients count as accepted, and get no mail. */
async function isBlocked(
  call: Call,
  { skipsSuppression, isTransactional }: Transmission,
  { address }: Recipient,
): Promise<boolean> {
  return !skipsSuppression && (await isSuppressed(call, address, isTransactional));
}

/** Returns the recipients that get the same mail: those whose To field, data, metadata and tags are equal. A whole mail is one. */
function groupsOf(recipients: readonly Recipient[], { raw }: Transmission): readonly (readonly Recipient[])[] {
  if (raw !== null) return recipients.length === 0 ? [] : [recipients];
  const keyOf = (one: Recipient): string => {
    const to = toOf(one).map(({ address }) => address.toLowerCase());
    return JSON.stringify([to, one.data, one.metadata, one.tags]);
  };
  return [...Map.groupBy(recipients, keyOf).values()];
}

function toOf({ headerTo, name, address }: Recipient): readonly DraftMailbox[] {
  return headerTo ?? [{ name, address }];
}

type Composed = Transmission & { readonly content: Content };

async function composeEmail(call: Call, given: Composed, group: readonly Recipient[]): Promise<SubmittedEmail> {
  const values = valuesOf(given, group);
  const content = await contentOf(call, given, { ...values, recipient: group[0] });
  const { fromName, fromAddress, replyTo, subject, text, html, attachments } = content;
  if (!isEmailAddress(fromAddress)) throw rejection("invalidFormat", "content.from must be an address");
  const draft: EmailDraft = {
    from: { name: fromName, address: fromAddress },
    replyTo: parseMailboxes(replyTo) ?? [],
    ...shownRecipients(content, group),
    subject,
    text,
    html,
    headers: [...content.headers.filter((one) => !isCc(one)), ...campaignHeaders(given)],
    attachments,
  };
  const template = given.template === null ? null : { id: given.template.id, data: values.data };
  const facts = { tags: values.tags, metadata: plainTexts(values.metadata), template };
  const email = emailOf(draft, { ...facts, sendAt: given.sendAt, identify });
  return { ...email, mailFrom: given.returnPath || fromAddress, recipients: group.map((one) => one.address) };
}

/** Returns the content with its substitutions; templates are always rendered. */
async function contentOf(
  call: Call,
  { isSubstituted, template, content }: Composed,
  { data, metadata, recipient }: Pick<Recipient, "data" | "metadata"> & { readonly recipient: Recipient | undefined },
): Promise<Content> {
  if (!isSubstituted || (template === null && !hasSubstitutions(content))) return content;
  const address = { email: recipient?.address ?? "", name: recipient?.name ?? "" };
  return substitute(call, content, { address, ...metadata, ...data });
}

function hasSubstitutions({ attachments: _attachments, ...sources }: Content): boolean {
  return JSON.stringify(sources).includes("{{");
}

function isCc([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === "cc";
}

/** Recipients that neither the To nor the Cc field shows are those of blind copies. */
function shownRecipients({ headers }: Content, group: readonly Recipient[]): Pick<EmailDraft, "to" | "cc" | "bcc"> {
  const to = group.slice(0, 1).flatMap(toOf);
  const cc = headers.filter(isCc).flatMap(([, value]) => parseMailboxes(value) ?? []);
  const shown = new Set([...to, ...cc].map((one) => one.address.toLowerCase()));
  const hidden = group.filter((one) => !shown.has(one.address.toLowerCase()));
  return { to, cc, bcc: hidden.map(({ name, address }) => ({ name, address })) };
}

/** A whole mail is stored as it is. */
function wholeEmail(given: Transmission, group: readonly Recipient[]): SubmittedEmail {
  const raw = given.raw ?? new Uint8Array();
  const { tags, metadata } = valuesOf(given, group);
  const sender = given.returnPath || (readMailHeader(raw).from[0]?.email ?? "");
  if (!isEmailAddress(sender)) throw rejection("missing", "email_rfc822 has no From field with an address");
  return {
    content: raw,
    mailFrom: sender,
    recipients: group.map(({ address }) => address),
    facts: { tags, metadata: plainTexts(metadata), template: null },
    sendAt: given.sendAt,
    identify: (uuid) => ({ ...identify(uuid), messageId: null }),
  };
}

const identify: SubmittedEmail["identify"] = (uuid) => ({
  providerId: uuidToDecimal(uuid),
  messageId: `<${uuid}@sparkpostmail.com>`,
});

/** Values of a recipient replace those of the transmission. */
function valuesOf(
  { data, metadata }: Transmission,
  [recipient]: readonly Recipient[],
): Pick<Recipient, "data" | "metadata" | "tags"> {
  return {
    data: { ...data, ...recipient?.data },
    metadata: { ...metadata, ...recipient?.metadata },
    tags: recipient?.tags ?? [],
  };
}

function campaignHeaders({ campaign }: Transmission): EmailDraft["headers"] {
  return campaign === "" ? [] : [[campaignHeader, JSON.stringify({ campaign_id: campaign })]];
}

function openScheduled({ session }: Call): ScheduledEmails<ScheduledShown> {
  return new ScheduledEmails(session);
}

/** Lists scheduled transmissions, all or those of a campaign or template: `GET /transmissions`. */
export const listTransmissions: Handler = async (call) => {
  const { fields } = call.request;
  const [campaign, template] = [fieldOf(fields, "campaign_id"), fieldOf(fields, "template_id")];
  const items = (await openScheduled(call).all()).filter(
    ({ shown }) => (campaign ?? shown.campaign) === shown.campaign && (template ?? shown.template) === shown.template,
  );
  const byId = new Map(items.map((item) => [item.shown.id, transmissionJson(item)]));
  return jsonResponse(200, { results: [...byId.values()] });
};

/** Returns a scheduled transmission: `GET /transmissions/:id`. */
export const getTransmission: Handler = async (call) => {
  const [item] = await itemsOf(call);
  return jsonResponse(200, { results: { transmission: item === undefined ? {} : transmissionJson(item) } });
};

/** Cancels a scheduled transmission: `DELETE /transmissions/:id`. */
export const cancelTransmission: Handler = async (call) => {
  for (const { uuid } of await itemsOf(call)) {
    await onProblem("conflict", openScheduled(call).cancel(uuid), () =>
      rejection("tooLate", "The transmission has been generated"),
    );
  }
  return noContent;
};

/** Cancels the scheduled transmissions of a campaign: `DELETE /transmissions?campaign_id=…`. */
export const cancelCampaign: Handler = async (call) => {
  const campaign = fieldOf(call.request.fields, "campaign_id");
  if (campaign === undefined) throw rejection("missing", "campaign_id required");
  for (const { uuid, shown } of await openScheduled(call).all()) {
    // One that arrives meanwhile is sent, and the others are cancelled.
    if (shown.campaign === campaign) await onProblem("conflict", openScheduled(call).cancel(uuid), () => undefined);
  }
  return noContent;
};

async function itemsOf(call: Call): Promise<readonly ScheduledItem<ScheduledShown>[]> {
  const { id = "" } = call.request.params;
  const items = (await openScheduled(call).all()).filter(({ shown }) => shown.id === id);
  if (items.length === 0) throw rejection("notFound", `Resource not found:transmission id ${id}`);
  return items;
}

function transmissionJson({ sendAt, shown }: ScheduledItem<ScheduledShown>): JsonObject {
  const { id, campaign, description, template } = shown;
  const content = template === "" ? {} : { template_id: template };
  return {
    id,
    state: "submitted",
    description,
    campaign_id: campaign,
    content,
    options: { start_time: new Date(sendAt) },
  };
}
