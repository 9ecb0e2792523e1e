/** Mails to submit, from the options and the content of a request. */
import type { HeaderField } from "../../core/message.ts";
import { fieldsNamed } from "../../core/tagging.ts";
import type { ProviderFacts, SubmittedEmail } from "../email.ts";
import type { AwsCall } from "../formats/aws-actions.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { submitAll, submitBatch, type AcceptedEmail } from "../kit/emails.ts";
import { settle, type Rejection } from "../kit/rejection.ts";
import { rejection, type SesErrorKind, messageIdField, sesMessageId } from "./errors.ts";
import { addressesOf, checkedTag, checkRecipientCount, mailboxOf, readRecipients, senderOf } from "./request.ts";
import type { MessageTag, Sending, SimpleContent } from "./request.ts";
import { renderTemplate, type ChosenTemplate } from "./templates.ts";

/** Caller of an action, and the region that it names. */
export type Caller = Omit<AwsCall, "request">;

/** Returns a mail that the service composes; throws `invalid` and `rejected`. */
export function simpleEmail(
  caller: Caller,
  sending: Sending,
  { template = null, ...content }: SimpleContent & { readonly template?: ProviderFacts["template"] },
): SubmittedEmail {
  if (sending.from === null || sending.from === "") throw rejection("invalid", "Source cannot be empty");
  const from = senderOf(sending.from, caller.region);
  const { to, cc, bcc } = sending.recipients;
  const recipients = [...to, ...cc, ...bcc];
  checkRecipientCount(recipients.length);
  return {
    content: { ...content, from, replyTo: sending.replyTo, to, cc, bcc },
    mailFrom: sending.returnPath ?? from.address,
    recipients: addressesOf(recipients),
    facts: factsOf(sending.tags, sending.configurationSet, template),
    sendAt: null,
    identify: identifyFor(caller),
  };
}

/** Returns the function that names a mail. Amazon SES sets the Message-ID field of every mail, also of raw ones. */
function identifyFor({ services, region }: Caller): SubmittedEmail["identify"] {
  const now = services.now();
  return (uuid) => {
    const providerId = sesMessageId(uuid, now);
    return { providerId, messageId: messageIdField(providerId, region) };
  };
}

/**
 * Returns the facts of a mail. Message tags are metadata, and tags as the field X-SES-MESSAGE-TAGS writes them
 * (`name=value`); the configuration set is metadata under the name that events of Amazon SES use.
 */
function factsOf(
  tags: readonly MessageTag[],
  configurationSet: string | null,
  template: ProviderFacts["template"],
): ProviderFacts {
  const set: readonly MessageTag[] = configurationSet === null ? [] : [["ses:configuration-set", configurationSet]];
  return {
    tags: tags.map(([name, value]) => `${name}=${value}`),
    metadata: Object.fromEntries([...tags, ...set]),
    template,
  };
}

/** Stores one mail and returns its message id as a result; throws `rejected` when no server receives mail for its recipients. */
export async function submitOne(
  { session }: Pick<AwsCall, "session">,
  email: SubmittedEmail,
): Promise<{ readonly MessageId: string }> {
  const [accepted] = await submitAll(session, [email], noServer);
  return { MessageId: accepted?.providerId ?? "" };
}

const noServer = rejection("rejected", "No server receives mail for the recipients.");

/** Parts that the entries of a bulk mail share. */
export interface BulkDefaults {
  readonly sending: Omit<Sending, "recipients">;
  readonly template: ChosenTemplate;
  readonly data: JsonObject;
  readonly headers: SimpleContent["headers"];
  readonly attachments: SimpleContent["attachments"];
}

/** One destination of a bulk mail; its data and tags replace those of the same name. */
export interface BulkEntry {
  readonly destination: JsonObject;
  readonly tags: Sending["tags"];
  readonly data: JsonObject;
  readonly headers: SimpleContent["headers"];
}

/** Most entries of a request. */
const entryCountMax = 50;

/**
 * Sends a mail for each entry; entries that are invalid or that no server receives have an error, and the others are stored.
 * Throws `invalid` for no entries or too many.
 */
export async function sendBulk(
  caller: Caller,
  defaults: BulkDefaults,
  entries: readonly BulkEntry[],
): Promise<readonly (AcceptedEmail<SubmittedEmail> | Rejection)[]> {
  if (entries.length === 0) throw rejection("invalid", "At least one destination is required.");
  if (entries.length > entryCountMax) {
    throw rejection("invalid", `Destination count exceeds ${String(entryCountMax)}.`);
  }
  const planned = await Promise.all(entries.map(async (entry) => settle(emailOf(caller, defaults, entry))));
  return submitBatch(caller.session, planned, noServer);
}

async function emailOf(caller: Caller, defaults: BulkDefaults, entry: BulkEntry): Promise<SubmittedEmail> {
  const { sending, template, data, headers, attachments } = defaults;
  const recipients = readRecipients(entry.destination);
  const rendered = await renderTemplate(caller, template, { ...data, ...entry.data });
  const tags = [...new Map([...sending.tags, ...entry.tags])];
  const content = { ...rendered, headers: replacedHeaders(headers, entry.headers), attachments };
  return simpleEmail(caller, { ...sending, recipients, tags }, content);
}

function replacedHeaders(
  headers: SimpleContent["headers"],
  replacements: SimpleContent["headers"],
): SimpleContent["headers"] {
  const replaced = new Set(replacements.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...replacements];
}

/** Statuses of entries with an error: in version 1 and in version 2. */
const statuses: Readonly<Partial<Record<SesErrorKind, readonly [query: string, rest: string]>>> = {
  rejected: ["MessageRejected", "MESSAGE_REJECTED"],
  templateMissing: ["TemplateDoesNotExist", "TEMPLATE_NOT_FOUND"],
  invalidRendering: ["Failed", "FAILED"],
  missingAttribute: ["Failed", "FAILED"],
};

/** Returns the status of an entry with an error: in version 1 and in version 2. */
export function bulkStatus({ failure }: Rejection): readonly [query: string, rest: string] {
  return statuses[failure as SesErrorKind] ?? ["InvalidParameterValue", "INVALID_PARAMETER"];
}

/** Raw mail and the limit of its size, which differs between the versions of the API. */
export interface RawMessage {
  readonly raw: Uint8Array;
  readonly bytesMax: number;
}

/** Header fields of which a mail has at most one (RFC 5322 §3.6). */
const singleFields: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "bcc",
  "message-id",
  "in-reply-to",
  "references",
  "subject",
  "date",
]);

/**
 * Returns a raw mail to submit. Recipients that the request does not name are those of the To, Cc and Bcc fields; the tags
 * and the configuration set of the request win over the X-SES fields. Throws `invalid` and `rejected`.
 */
export function rawEmail(caller: Caller, sending: Sending, { raw, bytesMax }: RawMessage): SubmittedEmail {
  if (raw.byteLength > bytesMax) {
    const length = `'${String(raw.byteLength)}'`;
    throw rejection("invalid", `Message length is more than ${String(bytesMax)} bytes long: ${length}.`);
  }
  const mail = readMailHeader(raw);
  checkSingleFields(mail.headers);
  const text = (name: string): string => fieldsNamed(mail.headers, name)[0]?.value ?? "";
  const [author] = mail.from;
  if (author === undefined) throw rejection("invalid", "Missing required header 'From'.");
  const from = senderOf((sending.from || author.email) ?? "", caller.region);
  const { to, cc, bcc } = sending.recipients;
  const named = [...to, ...cc, ...bcc];
  const written = [...mail.to, ...mail.cc, ...mail.bcc];
  const recipients = named.length > 0 ? named : written.map(({ email }) => mailboxOf(email ?? ""));
  checkRecipientCount(recipients.length);
  const tags = sending.tags.length > 0 ? sending.tags : tagsOf(text("x-ses-message-tags"));
  const configurationSet = sending.configurationSet ?? (text("x-ses-configuration-set") || null);
  return {
    content: raw,
    mailFrom: sending.returnPath ?? from.address,
    recipients: addressesOf(recipients),
    facts: factsOf(tags, configurationSet, null),
    sendAt: null,
    identify: identifyFor(caller),
  };
}

function checkSingleFields(headers: readonly HeaderField[]): void {
  const seen = new Set<string>();
  for (const { field } of headers) {
    const folded = field.toLowerCase();
    if (singleFields.has(folded) && seen.has(folded)) throw rejection("invalid", `Duplicate header '${field}'.`);
    seen.add(folded);
  }
}

/** Returns the tags of the field X-SES-MESSAGE-TAGS: `name=value, name=value`. */
function tagsOf(field: string): readonly MessageTag[] {
  const parts = field.split(",").filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const [name = "", ...value] = part.split("=");
    return checkedTag(name.trim(), value.join("=").trim());
  });
}
