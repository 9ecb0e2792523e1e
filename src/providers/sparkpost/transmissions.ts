/** Endpoints of transmissions: https://developers.sparkpost.com/api/transmissions/ */
import { randomUUID } from "node:crypto";
import type { EmailDraft, SubmittedEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { plainTexts, type JsonObject } from "../formats/json-body.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { isEmailAddress, parseMailboxes } from "../formats/mailbox.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import { batchCounter, emailOf, submitAll, wholeEmailOf, ScheduledEmails, type ScheduledItem } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { noContent } from "../provider.ts";
import { rejection } from "./errors.ts";
import { isSuppressed } from "./recipients.ts";
import { readTransmission, results, type Content, type Recipient, type Transmission } from "./request.ts";
import { openTemplate, substitute } from "./templates.ts";

/** Header field that names the campaign, as in mail by SMTP. */
const campaignHeader = "X-MSYS-API";

/** Scheduled mail as transmissions are listed. */
type ScheduledShown = Readonly<Record<"id" | "campaign" | "description" | "template", string>>;

const noServer = rejection("noRecipients", "No server receives mail for the recipients");

/** Sends a transmission: `POST /transmissions`. */
export const sendTransmission: Handler = async (call) => {
  const now = call.services.now();
  const transmission = readTransmission(call.request, now);
  const { recipients, invalidCount, sendAt, campaign, description, template } = transmission;
  const emails = await composeAll(call, transmission);
  const accepted = await submitAll(call.session, emails, noServer);
  const id = accepted[0]?.providerId ?? uuidToDecimal(randomUUID());
  const shown = { id, campaign, description, template: template?.id ?? "" };
  for (const { uuid } of accepted) {
    if (sendAt !== null && sendAt > now) await openScheduled(call).add({ uuid, sendAt, shown });
  }
  const lost = emails.length - accepted.length;
  return results({
    total_rejected_recipients: invalidCount + lost,
    total_accepted_recipients: recipients.length - lost,
    id,
  });
};

/** Returns the mails to all recipients who are not suppressed; the others count as accepted. */
async function composeAll(call: Call, transmission: Transmission): Promise<readonly SubmittedEmail[]> {
  const { template, recipients, raw, skipsSuppression, isTransactional } = transmission;
  const content = template === null ? transmission.content : await openTemplate(call, template);
  const sent: Recipient[] = [];
  for (const one of recipients) {
    if (skipsSuppression || !(await isSuppressed(call, one.address, isTransactional))) sent.push(one);
  }
  const take = batchCounter(() => rejection("invalidFormat", "The mails of all recipients together exceed 50 MB"));
  const emails: SubmittedEmail[] = [];
  for (const group of groupsOf(sent, transmission)) {
    take(content === null ? (raw ?? "").length : lengthOf(content));
    emails.push(
      content === null
        ? wholeEmail(transmission, group)
        : await composeEmail(call, { ...transmission, content }, group),
    );
  }
  return emails;
}

function lengthOf({ attachments, html, text }: Content): number {
  return attachments.reduce((sum, { content }) => sum + content.byteLength, (html ?? text ?? "").length);
}

/** Recipients of one mail, at least one. */
type Group = readonly [Recipient, ...Recipient[]];

/** Returns the recipients that get the same mail: those whose To field, data, metadata and tags are equal. A whole mail is one. */
function groupsOf(recipients: readonly Recipient[], { raw }: Transmission): readonly Group[] {
  const keyOf = ({ to, data, metadata, tags }: Recipient): string =>
    raw === null ? JSON.stringify([to.map(({ address }) => address.toLowerCase()), data, metadata, tags]) : "";
  const groups = [...Map.groupBy(recipients, keyOf).values()];
  return groups.flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others] as const]));
}

type Composed = Transmission & { readonly content: Content };

async function composeEmail(call: Call, given: Composed, group: Group): Promise<SubmittedEmail> {
  const [{ address, name }] = group;
  const { data, ...facts } = factsOf(given, group);
  const values = { address: { email: address, name }, ...facts.metadata, ...data };
  const { replyTo, headers, ...content } = needsSubstitution(given)
    ? await substitute(call, given.content, values)
    : given.content;
  if (!isEmailAddress(content.from.address)) throw rejection("invalidFormat", "content.from must be an address");
  const draft: EmailDraft = {
    ...content,
    replyTo: parseMailboxes(replyTo) ?? [],
    ...shownRecipients(headers, group),
    headers: [...headers.filter((one) => !isCc(one)), ...campaignHeaders(given)],
  };
  const template = given.template === null ? null : { id: given.template.id, data };
  const mailFrom = given.returnPath || draft.from.address;
  return emailOf(draft, { ...facts, metadata: plainTexts(facts.metadata), template, mailFrom });
}

/** Templates are always rendered. */
function needsSubstitution({ isSubstituted, template, content: { attachments: _attachments, ...sources } }: Composed) {
  return isSubstituted && (template !== null || JSON.stringify(sources).includes("{{"));
}

function isCc([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === "cc";
}

/** Recipients that neither the To nor the Cc field shows are those of blind copies. */
function shownRecipients(headers: Content["headers"], group: Group): Pick<EmailDraft, "to" | "cc" | "bcc"> {
  const [{ to }] = group;
  const cc = headers.filter(isCc).flatMap(([, value]) => parseMailboxes(value) ?? []);
  const shown = new Set([...to, ...cc].map((one) => one.address.toLowerCase()));
  const hidden = group.filter((one) => !shown.has(one.address.toLowerCase()));
  return { to, cc, bcc: hidden.map(({ name, address }) => ({ name, address })) };
}

/** A whole mail is stored as it is. */
function wholeEmail(given: Transmission, group: Group): SubmittedEmail {
  const raw = given.raw ?? new Uint8Array();
  const { metadata, data: _data, ...facts } = factsOf(given, group);
  const mailFrom = given.returnPath || (readMailHeader(raw).from[0]?.email ?? "");
  if (!isEmailAddress(mailFrom)) throw rejection("missing", "email_rfc822 has no From field with an address");
  return wholeEmailOf(raw, { ...facts, metadata: plainTexts(metadata), mailFrom });
}

const identify: SubmittedEmail["identify"] = (uuid) => ({
  providerId: uuidToDecimal(uuid),
  messageId: `<${uuid}@sparkpostmail.com>`,
});

/** Values of a recipient replace those of the transmission. */
function factsOf({ data, metadata, sendAt }: Transmission, group: Group) {
  const [own] = group;
  return {
    data: { ...data, ...own.data },
    metadata: { ...metadata, ...own.metadata },
    tags: own.tags,
    sendAt,
    recipients: group,
    identify,
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
  return results([...byId.values()]);
};

/** Returns a scheduled transmission: `GET /transmissions/:id`. */
export const getTransmission: Handler = async (call) => {
  const [transmission] = (await itemsOf(call)).map(transmissionJson);
  return results({ transmission });
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

type Item = ScheduledItem<ScheduledShown>;

/** Returns the mails of the transmission that the path names, at least one. */
async function itemsOf(call: Call): Promise<readonly Item[]> {
  const { id = "" } = call.request.params;
  const items = (await openScheduled(call).all()).filter(({ shown }) => shown.id === id);
  if (items.length === 0) throw rejection("notFound", `Resource not found:transmission id ${id}`);
  return items;
}

function transmissionJson({ sendAt, shown }: Item): JsonObject {
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
