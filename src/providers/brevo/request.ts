/** Requests to send mail: the body of `POST /v3/smtp/email`. */
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import { isAbsent, isJsonObject, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import { linkedFile } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { mediaTypeOf } from "../formats/media-types.ts";
import { isUuid } from "../formats/uuid.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import { invalid, missing, rejection } from "./errors.ts";

/** One mail of a request: the request itself, or one of its versions with the request's values for absent fields. */
export type MailVersion = ReturnType<typeof readVersion>;

/** Valid request to send mail. */
export type BrevoSend = ReturnType<typeof sendOf>;

const versionRecipientCountMax = 99;
const recipientCountMax = 2000;
const scheduleMsMax = 72 * 3_600_000;
/** Header fields that are options of the API. */
const options = ["sender.ip", "x-sib-sandbox", "idempotency-key"];

/** Returns the JSON object of a body; throws a rejection for anything else. */
export function readBrevoBody(body: Uint8Array): JsonObject {
  const value = readJsonObject(body);
  if (value === undefined) throw rejection("bad_request", "Input must be a valid JSON object");
  return value;
}

const rules: MemberRules = {
  wrongType: (name, type) => {
    if (type === "object" || type === "value") return invalid(`${name} is not valid`);
    return invalid(`${name} should be ${type === "array" ? "an" : "a"} ${type}`);
  },
};

/** Reads a request to send mail; throws a rejection with the first error. */
export function readBrevoSend(body: JsonObject, now: number): BrevoSend {
  return sendOf(body, new Members(body, rules), now);
}

function sendOf(body: JsonObject, members: Members, now: number) {
  const templateId = members.checked("templateId", isTemplateId);
  const sender = isAbsent(body["sender"]) && templateId !== null ? null : readSender(body["sender"]);
  const isBatch = !isAbsent(body["messageVersions"]);
  const versions = isBatch ? readVersions(body) : [readVersion(body, body)];
  const headers = members.headers("headers", (value) => ["string", "number", "boolean"].includes(typeof value));
  const option = (name: string): string | null => headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? null;
  return {
    /** Null where the template has it. */
    sender,
    versions,
    /** Whether the request has `messageVersions`. */
    isBatch,
    headers: headers.filter(([name]) => !options.includes(name.toLowerCase())),
    attachments: members.list("attachment").map(readAttachment),
    tags: members.list("tags").map((tag) => {
      if (typeof tag !== "string" || tag === "") throw invalid("tags is not valid");
      return tag;
    }),
    sendAt: readScheduledAt(body["scheduledAt"], now),
    batchId: members.checked("batchId", isUuidOfAnyCase)?.toLowerCase() ?? null,
    isSandbox: option("x-sib-sandbox") === "drop",
    idempotencyKey: option("idempotency-key"),
  };
}

function isTemplateId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isUuidOfAnyCase(value: unknown): value is string {
  return typeof value === "string" && isUuid(value.toLowerCase());
}

function readVersions(body: JsonObject): readonly MailVersion[] {
  const given = body["messageVersions"];
  if (!Array.isArray(given) || given.length === 0) throw invalid("messageVersions should be a non-empty array");
  const versions = given.map((one: unknown, at) => {
    if (!isJsonObject(one)) throw invalid(`messageVersions[${at}] is not valid`);
    return readVersion({ ...body, cc: undefined, bcc: undefined, to: undefined, ...one }, body);
  });
  const count = versions.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0);
  if (count > recipientCountMax) throw rejection("out_of_range", `At most ${recipientCountMax} recipients`);
  return versions;
}

/** Subject and sender are null where the template has them. */
function readVersion(fields: JsonObject, body: JsonObject) {
  const members = new Members(fields, rules);
  const templateId = members.checked("templateId", isTemplateId);
  const read = (name: string): string | null => members.text(name) || null;
  const subject = read("subject");
  if (isAbsent(fields["to"])) throw missing("to");
  const to = readMailboxes(fields, "to");
  const [text, html] = [read("textContent"), read("htmlContent")];
  if (templateId === null && subject === null) throw missing("subject");
  if (templateId === null && text === null && html === null) throw missing("htmlContent");
  const params = members.object("params");
  if (params !== null && Object.keys(params).length === 0 && body["params"] === params) {
    throw rejection("missing_parameter", "params is blank");
  }
  const replyTo = isAbsent(fields["replyTo"]) ? [] : [readMailbox(fields["replyTo"], "replyTo")];
  const lists = { to, cc: readMailboxes(fields, "cc"), bcc: readMailboxes(fields, "bcc") };
  return { ...lists, replyTo, subject, text, html, templateId, params };
}

function readSender(value: unknown): DraftMailbox {
  if (isAbsent(value)) throw missing("sender");
  if (!isJsonObject(value)) throw invalid("sender is not valid");
  const { email, id, name } = value;
  if (isAbsent(email) && isAbsent(id)) {
    throw rejection("missing_parameter", "One of sender email or sender ID is mandatory");
  }
  if (name === "") throw missing("sender name");
  return senderOf(value);
}

/** Returns the sender with an address or an id; throws a rejection for an invalid address. */
export function senderOf({ email, id, name }: JsonObject): DraftMailbox {
  if (isAbsent(email) && Number.isSafeInteger(id)) return { name: "", address: `sender-${id as number}@brevo.invalid` };
  if (typeof email !== "string" || !isEmailAddress(email)) throw invalid("valid sender email required");
  return { name: typeof name === "string" ? name : "", address: email };
}

function readMailboxes(fields: JsonObject, field: string): readonly DraftMailbox[] {
  const value = fields[field];
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalid(`${field} is not valid`);
  if (value.length === 0) throw missing(field);
  if (value.length > versionRecipientCountMax) {
    throw rejection("out_of_range", `${field} has more than ${versionRecipientCountMax} recipients`);
  }
  return value.map((one: unknown) => readMailbox(one, field));
}

function readMailbox(value: unknown, field: string): DraftMailbox {
  const { email, name } = isJsonObject(value) ? value : {};
  if (isAbsent(email)) throw rejection("missing_parameter", `email is missing in ${field}`);
  if (typeof email !== "string" || !isEmailAddress(email)) throw invalid(`email is not valid in ${field}`);
  if (!isAbsent(name) && typeof name !== "string") throw invalid(`name is not valid in ${field}`);
  return { name: name ?? "", address: email };
}

function readAttachment(one: unknown): DraftAttachment {
  const { content, name, url } = isJsonObject(one) ? one : {};
  const fileName = typeof name === "string" && name !== "" ? name : null;
  const shared = { fileName, contentId: null, isInline: false };
  if (typeof url === "string" && isAbsent(content)) {
    if (!/^https?:\/\//.test(url)) throw invalid("attachment url is not valid");
    return { ...shared, ...linkedFile(url) };
  }
  if (isAbsent(content)) throw rejection("missing_parameter", "attachment content or url is missing");
  if (fileName === null) throw rejection("missing_parameter", "attachment name is missing");
  const bytes = typeof content === "string" ? decodeStrictBase64(content) : null;
  if (bytes === null) throw invalid("attachment content should be base64 encoded");
  return { ...shared, contentType: mediaTypeOf(fileName), content: bytes };
}

/** An instant has a time and an offset. */
const instantForm = /^.{10}T.+(?:Z|[+-]\d\d:?\d\d)$/;

function readScheduledAt(value: unknown, now: number): number | null {
  if (isAbsent(value)) return null;
  const instant = typeof value === "string" && instantForm.test(value) ? readIsoInstant(value) : undefined;
  if (instant === undefined) throw invalid("scheduledAt is not valid");
  if (instant < now) throw invalid("scheduledAt should not be in the past");
  if (instant > now + scheduleMsMax) throw invalid("scheduledAt should be within 72 hours");
  return instant;
}
