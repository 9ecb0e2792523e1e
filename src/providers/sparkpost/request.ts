/** Requests, those to send transmissions among them, and results: https://developers.sparkpost.com/api/transmissions/ */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { isJsonObject, readJsonObject } from "../formats/json-body.ts";
import { isEmailAddress, parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";

const rules: MemberRules = {
  wrongType: (name, type) => rejection("invalidFormat", `${name} must be a valid ${type}`),
};

/** Reads the members of a request; throws a rejection for a body that is no JSON object. */
export function readMembers({ body }: Pick<ProviderRequest, "body">): Members {
  const object = body.byteLength === 0 ? {} : readJsonObject(body);
  if (object === undefined) throw rejection("invalidFormat", "Problems parsing request as JSON");
  return new Members(object, rules);
}

/** Throws the error of an absent member. */
export function missing(name: string): never {
  throw rejection("missing", `${name} is a required field`);
}

/** Returns a response with results. */
export function results(value: unknown): ProviderResponse {
  return jsonResponse(200, { results: value });
}

/** Sources of a mail, each in the substitution language. */
export interface Content extends Omit<EmailDraft, "replyTo" | "to" | "cc" | "bcc"> {
  /** List of mailboxes, "" for none. */
  readonly replyTo: string;
}

/** Valid request to send a transmission. */
export type Transmission = ReturnType<typeof transmissionOf>;

/** Recipient of a transmission. */
export type Recipient = NonNullable<ReturnType<typeof readRecipient>>;

const recipientCountMax = 2000;
const campaignBytesMax = 64;

/** Reads a transmission; throws a rejection with the first error. */
export function readTransmission(request: ProviderRequest, now: number): Transmission {
  return transmissionOf(readMembers(request), now);
}

function transmissionOf(request: Members, now: number) {
  const options = request.inside("options");
  const campaign = request.text("campaign_id") ?? "";
  if (Buffer.byteLength(campaign) > campaignBytesMax) {
    throw rejection("invalidFormat", "campaign_id must be at most 64 bytes");
  }
  return {
    ...readRecipients(request),
    ...readContentChoice(request),
    data: request.object("substitution_data") ?? {},
    metadata: request.object("metadata") ?? {},
    campaign,
    description: request.text("description") ?? "",
    returnPath: readReturnPath(request.text("return_path") ?? ""),
    isTransactional: options.flag("transactional") ?? true,
    skipsSuppression: options.flag("skip_suppression") === true,
    isSubstituted: options.flag("perform_substitutions") !== false,
    sendAt: readStartTime(options.text("start_time") ?? "", now),
  };
}

function readReturnPath(address: string): string {
  if (address !== "" && !isEmailAddress(address)) throw rejection("invalidFormat", "return_path must be an address");
  return address;
}

const scheduleMsMax = 366 * 24 * 3_600_000;

function readStartTime(text: string, now: number): number | null {
  if (text === "" || text === "now") return null;
  const instant = readIsoInstant(text.toUpperCase());
  if (instant === undefined) throw rejection("invalidFormat", "start_time must be YYYY-MM-DDTHH:MM:SS+-HH:MM or now");
  if (instant > now + scheduleMsMax) throw rejection("invalidFormat", "start_time must be within a year");
  return instant;
}

/** Recipients without a valid address are only counted. */
function readRecipients(request: Members) {
  if (isJsonObject(request.value("recipients"))) throw rejection("notFoundInside", "Recipient lists are not stored");
  if (!request.has("recipients")) throw rejection("missing", "recipients or list_id required");
  const all = request.objects("recipients");
  if (all.length > recipientCountMax) throw rejection("invalidFormat", "recipients must have at most 2000 elements");
  const recipients = all.map(readRecipient).filter((one) => one !== undefined);
  if (recipients.length === 0) throw rejection("noRecipients", "No recipient has a valid address");
  return { recipients, invalidCount: all.length - recipients.length };
}

function readRecipient(recipient: Members) {
  const given = recipient.value("address");
  const fields = new Members(isJsonObject(given) ? given : { email: given }, rules);
  const mailbox = parseMailbox(fields.text("email") ?? "");
  const headerTo = fields.text("header_to") || null;
  if (mailbox === undefined) return undefined;
  const own: DraftMailbox = { address: mailbox.address, name: (fields.text("name") || mailbox.name) ?? "" };
  return {
    ...own,
    /** Mailboxes of the To field: the recipient alone by default. */
    to: (headerTo === null ? undefined : parseMailboxes(headerTo)) ?? [own],
    tags: recipient.list("tags").map(String),
    metadata: recipient.object("metadata") ?? {},
    data: recipient.object("substitution_data") ?? {},
  };
}

/** A mail has a content, a template or is given as a whole. */
function readContentChoice(request: Members) {
  if (request.object("content") === null) throw rejection("missing", "content object or template_id required");
  const content = request.inside("content");
  const id = content.text("template_id");
  const whole = id === null ? content.text("email_rfc822") : null;
  return {
    template: id === null ? null : { id, isDraft: content.flag("use_draft_template") === true },
    raw: whole === null ? null : Buffer.from(whole),
    content: id === null && whole === null ? readContent(content) : null,
  };
}

/** Reads the content of a mail or a template; throws a rejection for one that cannot be sent. */
export function readContent(content: Members): Content {
  const from = readFrom(content.value("from")) ?? missing("content.from");
  const [subject, text, html] = [content.text("subject"), content.text("text"), content.text("html")];
  if (subject === null) missing("content.subject");
  if (text === null && html === null) {
    throw rejection("missing", "At least one of 'text' or 'html' must exist in content");
  }
  return {
    from,
    replyTo: content.text("reply_to") ?? "",
    subject,
    text,
    html,
    headers: content.headers("headers"),
    attachments: [
      ...content.objects("attachments").map((one) => readFile(one, false)),
      ...content.objects("inline_images").map((one) => readFile(one, true)),
    ],
  };
}

/** The address may contain substitutions. */
function readFrom(given: unknown): DraftMailbox | null {
  if (typeof given === "string") return parseMailbox(given) ?? (given === "" ? null : { name: "", address: given });
  const { email, name = "" } = isJsonObject(given) ? given : {};
  return typeof email === "string" && email !== "" ? { address: email, name: String(name) } : null;
}

function readFile(file: Members, isInline: boolean): DraftAttachment {
  const name = file.text("name") ?? "";
  const content = decodeStrictBase64((file.text("data") ?? "").replaceAll(/\s/g, ""));
  if (content === null) throw rejection("invalidFormat", `data of ${name.slice(0, 100)} must be base64`);
  const contentType = file.text("type") || mediaTypeOf(name);
  return { fileName: name || null, contentType, content, contentId: isInline ? name : null, isInline };
}
