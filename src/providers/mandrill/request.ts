/** Requests: JSON objects with the API key among their members (https://mailchimp.com/developer/transactional/api/messages/). */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft } from "../email.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { withoutRepetitions } from "../formats/mail-fields.ts";
import { isEmailAddress, parseMailboxes } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { type Call, type Handler, handlersWith } from "../kit/endpoints.ts";
import { Members, type MemberRules, type MemberType } from "../kit/members.ts";
import type { ProviderRequest } from "../provider.ts";
import { errors } from "./errors.ts";

const typeTexts: Readonly<Record<MemberType, string>> = {
  array: "Please enter an array",
  boolean: "Please enter a boolean",
  object: "Please enter an associative array",
  string: "Please enter a string",
  value: "Please enter a valid value",
};

const rules: MemberRules = {
  wrongType: (name, type) => errors.invalid({ [name]: typeTexts[type] }),
};

/** Rules of the members of the message, which errors show in it. */
const messageRules: MemberRules = { wrongType: (name, type) => invalid(name, typeTexts[type]) };

/** Reads the members of a request; a body that is no JSON object has none. */
export function readMembers({ body }: Pick<ProviderRequest, "body">): Members {
  return new Members(readJsonObject(body) ?? {}, rules);
}

/** Call with the members of its request. */
export type MandrillCall = Call & { readonly members: Members };

/** Returns the handler of an endpoint, of a function that returns the JSON of the response. */
export const handler: (respond: (call: MandrillCall) => unknown) => Handler = handlersWith(({ request }) => ({
  members: readMembers(request),
}));

/** Returns a text of a request; throws a rejection for an absent or empty one. */
export function requiredText(members: Members, name: string): string {
  const text = members.text(name) ?? "";
  if (text === "") throw errors.missing(name);
  return text;
}

/** Returns a member that is a plain address, in lower case; throws a rejection for anything else. */
export function requiredAddress(members: Members, name: string): string {
  const address = requiredText(members, name);
  if (!isEmailAddress(address)) throw errors.invalid({ [name]: addressText(address) });
  return address.toLowerCase();
}

/** Returns what is wrong with an address. */
function addressText(address: string): string {
  const [, domain] = address.split("@");
  if (domain === undefined || address.split("@").length > 2) return "An email address must contain a single @";
  return `The domain portion of the email address is invalid (the portion after the @: ${domain.slice(0, 100)})`;
}

/** Reads `send_at`, `YYYY-MM-DD HH:MM:SS` in UTC, as milliseconds since the Unix epoch; null without one. */
export function readSendAt(members: Members, now: number): number | null {
  const text = members.text("send_at") ?? "";
  if (text === "") return null;
  const instant = readIsoInstant(text.toUpperCase());
  if (instant === undefined) throw errors.invalid({ send_at: "Please enter a date as YYYY-MM-DD HH:MM:SS" });
  if (instant > now + scheduleMsMax) throw errors.invalid({ send_at: "The date must be within a year" });
  return instant;
}

/** Recipient of a mail, whose address may be invalid. */
export interface Recipient extends DraftMailbox {
  readonly type: "to" | "cc" | "bcc";
}

/** Message of a request, without what a template determines. */
export type MandrillMessage = ReturnType<typeof readMessageMembers>;

const recipientCountMax = 1000;
const scheduleMsMax = 366 * 24 * 3_600_000;
const tagLengthMax = 50;

/** Reads the message of a request; throws a rejection with the first error. */
export function readMessage(request: Members): MandrillMessage {
  const given = request.object("message");
  if (given === null) throw errors.missing("message");
  return readMessageMembers(new Members(given, messageRules));
}

function readMessageMembers(message: Members) {
  const text = (name: string): string => message.text(name) ?? "";
  const isSet = (name: string): boolean => message.flag(name) === true;
  return {
    /** Name and address are "" when absent. */
    from: { name: text("from_name"), address: readAddress("from_email", text("from_email")) },
    subject: text("subject"),
    text: message.text("text"),
    html: message.text("html"),
    ...readHeaders(message.headers("headers", isPlain), isSet("important")),
    recipients: readRecipients(message),
    attachments: [
      ...message.objects("attachments").map((one) => readFile(one, false)),
      ...message.objects("images").map((one) => readFile(one, true)),
    ],
    tags: readTags(message.list("tags")),
    metadata: message.object("metadata") ?? {},
    metadataOf: byRecipient(message, "recipient_metadata", (one) => one.object("values") ?? {}),
    ...readMerging(message),
    /** Whether recipients see each other, in one mail. */
    isShared: isSet("preserve_recipients"),
    /** Address that gets a copy of each mail; null without one. */
    copyTo: readAddress("bcc_address", text("bcc_address")) || null,
    subaccount: text("subaccount") || null,
    makesText: isSet("auto_text"),
  };
}

function readMerging(message: Members) {
  const variables = readValues(message.objects("global_merge_vars"));
  const variablesOf = byRecipient(message, "merge_vars", (one) => readValues(one.objects("vars")));
  const hasVariables = variablesOf.size > 0 || Object.keys(variables).length > 0;
  return {
    variables,
    variablesOf,
    language:
      message.text("merge_language") === "handlebars" ? ("filter-handlebars" as const) : ("merge-tags" as const),
    /** Whether merge tags are evaluated. */
    isMerged: message.flag("merge") === true || hasVariables,
  };
}

/** Returns an address, "" for an absent one. */
function readAddress(name: string, address: string): string {
  if (address !== "" && !isEmailAddress(address)) throw invalid(name, addressText(address));
  return address;
}

function invalid(name: string, problem: unknown): Error {
  return errors.invalid({ message: { [name]: problem } });
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

const importantHeaders: EmailDraft["headers"] = [
  ["X-Priority", "1"],
  ["X-MSMail-Priority", "High"],
  ["Importance", "High"],
];

function readHeaders(given: EmailDraft["headers"], isImportant: boolean): Pick<EmailDraft, "replyTo" | "headers"> {
  const isReplyTo = ([name]: readonly [string, string]): boolean => name.toLowerCase() === "reply-to";
  const replyTo = given.filter(isReplyTo).flatMap(([, value]) => parseMailboxes(value) ?? []);
  const headers = given.filter((one) => !isReplyTo(one));
  return { replyTo, headers: isImportant ? [...headers, ...importantHeaders] : headers };
}

function readRecipients(message: Members): readonly Recipient[] {
  if (!message.has("to")) throw invalid("to", "Missing value");
  const recipients = message.objects("to").map((one): Recipient => {
    const address = one.text("email") ?? "";
    const type = one.text("type") ?? "to";
    if (type !== "to" && type !== "cc" && type !== "bcc") throw invalid("to", [{ type: "Please enter to, cc or bcc" }]);
    return { address, name: one.text("name") ?? "", type };
  });
  if (recipients.length > recipientCountMax) {
    throw invalid("to", `Enter a list of at most ${String(recipientCountMax)} recipients`);
  }
  return withoutRepetitions(recipients);
}

function readTags(tags: readonly unknown[]): readonly string[] {
  return tags.map((tag) => {
    const isValid = typeof tag === "string" && !tag.startsWith("_") && tag.length <= tagLengthMax;
    if (!isValid) throw invalid("tags", "Tags have at most 50 characters and may not start with an underscore");
    return tag;
  });
}

/** Reads a list of `name` and `content`; the last value of a name counts. */
export function readValues(list: readonly Members[]): JsonObject {
  return Object.fromEntries(list.map((one) => [one.text("name") ?? "", one.value("content")]));
}

/** Returns values of recipients, by their address in lower case. */
function byRecipient(message: Members, name: string, valuesOf: (one: Members) => JsonObject) {
  return new Map(message.objects(name).map((one) => [(one.text("rcpt") ?? "").toLowerCase(), valuesOf(one)] as const));
}

function readFile(file: Members, isImage: boolean): DraftAttachment {
  const name = file.text("name") ?? "";
  const content = decodeStrictBase64((file.text("content") ?? "").replaceAll(/\s/g, ""));
  const list = isImage ? "images" : "attachments";
  if (content === null) throw invalid(list, [{ content: "Please enter base64" }]);
  const contentType = file.text("type") || mediaTypeOf(name);
  if (isImage && !contentType.startsWith("image/")) throw invalid(list, [{ type: "Please enter a type of images" }]);
  return { fileName: name || null, contentType, content, contentId: isImage ? name : null, isInline: isImage };
}

/** Returns an instant as the API writes it: `2026-11-20 10:42:07`. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}
