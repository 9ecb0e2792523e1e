/** Body of `POST /v3/mail/send`: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import { isUtf8 } from "node:buffer";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import { isAbsent, isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isUuid } from "../formats/uuid.ts";
import { readAttachments, readContent, type Content } from "./content.ts";
import { rejection, sendGridError } from "./errors.ts";
import { Issues } from "./issues.ts";
import { readGlobalArgs, readPersonalizations, type Personalization } from "./personalization.ts";
import { readSettings, type Settings } from "./settings.ts";
import { checkSendAt, readHeaders, readMailbox } from "./shared-members.ts";

/** Valid request to send mail. */
export interface SendRequest extends Settings {
  readonly from: DraftMailbox;
  readonly replyTo: readonly DraftMailbox[];
  /** Null without a global subject. */
  readonly subject: string | null;
  readonly content: Content;
  readonly attachments: readonly DraftAttachment[];
  /** Null without a template; `d-…` for dynamic ones. */
  readonly templateId: string | null;
  readonly categories: readonly string[];
  readonly sections: Readonly<Record<string, string>>;
  readonly batchId: string | null;
  /** One for each mail, with the global headers, custom arguments and `send_at` merged in; at least one. */
  readonly personalizations: readonly Personalization[];
}

const categoryCountMax = 10;
const categoryLengthMax = 255;

/** Decodes a body; throws all errors. `now` in milliseconds since the Unix epoch. */
export function readSend(body: Uint8Array, now: number): SendRequest {
  const value = readJson(body);
  if (value === undefined) {
    if (!isUtf8(body)) throw rejection(415, [{ message: "Invalid UTF8 in request", field: null, help: null }]);
    throw rejection(400, [sendGridError("badRequest", null)]);
  }
  const issues = new Issues();
  if (!isJsonObject(value)) issues.addType("object", null, value);
  const request = isJsonObject(value) ? readMembers(issues, value, now) : undefined;
  if (issues.errors.length > 0 || request === undefined) throw rejection(400, issues.errors);
  return request;
}

function readMembers(issues: Issues, body: JsonObject, now: number): SendRequest | undefined {
  const from = readFrom(issues, body["from"]);
  const templateId = readTemplateId(issues, body["template_id"]);
  const global = {
    from,
    headers: readHeaders(issues, body["headers"], "headers"),
    customArgs: readGlobalArgs(issues, body["custom_args"]),
    sendAt: checkSendAt(issues, body["send_at"], { field: "send_at", now }),
    template: generationOf(templateId),
  };
  const personalizations = readPersonalizations(issues, body["personalizations"], { global, now });
  const members = {
    personalizations,
    templateId,
    replyTo: readReplyTo(issues, body),
    subject: readSubject(issues, body["subject"], { personalizations, templateId }),
    content: readContent(issues, body["content"], templateId === null),
    attachments: readAttachments(issues, body["attachments"]),
    categories: readCategories(issues, body["categories"]),
    sections: issues.strings(body["sections"] ?? undefined, "sections", "sectionValues"),
    batchId: readBatchId(issues, body["batch_id"]),
    ...readSettings(issues, body),
  };
  return from === undefined ? undefined : { ...members, from };
}

function generationOf(templateId: string | null): "dynamic" | "legacy" | null {
  if (templateId === null) return null;
  return templateId.startsWith("d-") ? "dynamic" : "legacy";
}

/** Reads `subject`; it may be absent when a template or every personalization has one. */
function readSubject(
  issues: Issues,
  value: unknown,
  { personalizations, templateId }: Pick<SendRequest, "personalizations" | "templateId">,
): string | null {
  const subject = issues.string(value ?? undefined, "subject") ?? null;
  if (templateId !== null) return subject;
  if (subject === "") issues.add("subjectEmpty", "subject");
  if (subject === null && personalizations.some((one) => one.subject === null))
    issues.add("subjectRequired", "subject");
  return subject;
}

function readBatchId(issues: Issues, value: unknown): string | null {
  if (isAbsent(value)) return null;
  if (typeof value === "string") return value;
  issues.add("batchId", "batch_id");
  return null;
}

function readFrom(issues: Issues, value: unknown): DraftMailbox | undefined {
  const from = issues.object(value ?? undefined, "from");
  const email = from?.["email"];
  if (isAbsent(value) || (from !== undefined && (email === undefined || email === ""))) {
    issues.add("fromRequired", "from.email");
    return undefined;
  }
  return readMailbox(issues, value, { path: "from", kind: "from" });
}

function readReplyTo(issues: Issues, body: JsonObject): readonly DraftMailbox[] {
  const { reply_to: one, reply_to_list: many } = body;
  const list = issues.array(many ?? undefined, "reply_to_list") ?? [];
  const kind = "reply_to";
  if (!isAbsent(one)) {
    if (list.length > 0) issues.add("replyToTwice", "reply_to_list");
    const mailbox = readMailbox(issues, one, { path: "reply_to", kind });
    return mailbox === undefined ? [] : [mailbox];
  }
  return list.flatMap((value, at) => readMailbox(issues, value, { path: `reply_to_list.${at}`, kind }) ?? []);
}

function readTemplateId(issues: Issues, value: unknown): string | null {
  if (isAbsent(value) || value === "") return null;
  if (typeof value !== "string") {
    issues.add("templateIdType", "template_id", JSON.stringify(value));
    return null;
  }
  if (isUuid(value) || /^d-[\x21-\x7e]{1,198}$/.test(value)) return value;
  issues.add("templateId", "template_id", value);
  return null;
}

function readCategories(issues: Issues, value: unknown): readonly string[] {
  const given = typeof value === "string" ? [value] : (value ?? []);
  if (!Array.isArray(given) || !given.every((one) => typeof one === "string")) {
    issues.add("categoriesType", "categories");
    return [];
  }
  if (given.length > categoryCountMax) {
    issues.add("categoriesCount", "categories", String(given.length));
    return [];
  }
  const tooLong = given.find((one) => one.length > categoryLengthMax);
  if (tooLong !== undefined) issues.add("categoryLength", "categories", tooLong);
  const repeated = given.find((one, at) => given.indexOf(one) !== at);
  if (repeated !== undefined) issues.add("categoryRepeated", "categories", repeated);
  if (given.some((one) => /\P{ASCII}/u.test(one))) issues.add("categoryAscii", "categories");
  return given;
}
