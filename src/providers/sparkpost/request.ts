/** Requests to send transmissions: https://developers.sparkpost.com/api/transmissions/ */
import { decodeStrictBase64 } from "../../core/strict-base64.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { isJsonObject, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress, parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import type { ProviderRequest } from "../provider.ts";
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

/** Sources of a mail, each in the substitution language; bodies that are null are absent. */
export interface Content {
  readonly fromName: string;
  readonly fromAddress: string;
  /** List of mailboxes, "" for none. */
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly headers: EmailDraft["headers"];
  readonly attachments: readonly DraftAttachment[];
}

/** Recipient of a transmission. */
export interface Recipient extends DraftMailbox {
  /** Mailboxes of the To field; null: the recipient alone. */
  readonly headerTo: readonly DraftMailbox[] | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly data: JsonObject;
}

/** Valid request to send a transmission. */
export interface Transmission {
  readonly recipients: readonly Recipient[];
  /** Recipients whose address is not valid. */
  readonly invalidCount: number;
  readonly content: Content | null;
  /** Whole mail; null for one that is composed. */
  readonly raw: Uint8Array | null;
  readonly template: { readonly id: string; readonly isDraft: boolean } | null;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  readonly campaign: string;
  readonly description: string;
  readonly returnPath: string;
  readonly isTransactional: boolean;
  readonly skipsSuppression: boolean;
  readonly isSubstituted: boolean;
  readonly sendAt: number | null;
}

const recipientCountMax = 2000;
const campaignBytesMax = 64;

/** Reads a transmission; throws a rejection with the first error. */
export function readTransmission(request: Members, now: number): Transmission {
  const options = new Members(request.object("options") ?? {}, rules);
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

function readRecipients(request: Members): Pick<Transmission, "recipients" | "invalidCount"> {
  const given = request.value("recipients");
  if (isJsonObject(given)) throw rejection("notFoundInside", "Recipient lists are not stored");
  if (!request.has("recipients")) throw rejection("missing", "recipients or list_id required");
  const all = request.objects("recipients");
  if (all.length > recipientCountMax) throw rejection("invalidFormat", "recipients must have at most 2000 elements");
  const valid = all.map(readRecipient).filter((one) => one !== undefined);
  if (valid.length === 0) throw rejection("noRecipients", "No recipient has a valid address");
  return { recipients: valid, invalidCount: all.length - valid.length };
}

function readRecipient(recipient: Members): Recipient | undefined {
  const given = recipient.value("address");
  const fields = new Members(isJsonObject(given) ? given : { email: given }, rules);
  const mailbox = parseMailbox(fields.text("email") ?? "");
  const headerTo = fields.text("header_to") ?? "";
  if (mailbox === undefined) return undefined;
  return {
    address: mailbox.address,
    name: (fields.text("name") || mailbox.name) ?? "",
    headerTo: headerTo === "" ? null : (parseMailboxes(headerTo) ?? null),
    tags: recipient.list("tags").map(String),
    metadata: recipient.object("metadata") ?? {},
    data: recipient.object("substitution_data") ?? {},
  };
}

function readContentChoice(request: Members): Pick<Transmission, "content" | "raw" | "template"> {
  const given = request.object("content");
  if (given === null) throw rejection("missing", "content object or template_id required");
  const content = new Members(given, rules);
  const id = content.text("template_id");
  if (id !== null) {
    const template = { id, isDraft: content.flag("use_draft_template") === true };
    return { content: null, raw: null, template };
  }
  const whole = content.text("email_rfc822");
  if (whole !== null) return { content: null, raw: Buffer.from(whole), template: null };
  return { content: readContent(content), raw: null, template: null };
}

/** Reads the content of a mail or a template; throws a rejection for one that cannot be sent. */
export function readContent(content: Members): Content {
  const from = readFrom(content.value("from"));
  if (from === null) throw rejection("missing", "content.from is a required field");
  const [subject, text, html] = [content.text("subject"), content.text("text"), content.text("html")];
  if (subject === null) throw rejection("missing", "content.subject is a required field");
  if (text === null && html === null) {
    throw rejection("missing", "At least one of 'text' or 'html' must exist in content");
  }
  return {
    fromName: from.name,
    fromAddress: from.address,
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
