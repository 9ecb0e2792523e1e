/** Body of `POST /v3/mail/send`: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import { isUtf8 } from "node:buffer";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import { isAbsent, isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isUuid } from "../formats/uuid.ts";
import { readAttachments, readContent, type Content } from "./content.ts";
import { Issues, rejection, sendGridError } from "./errors.ts";
import { checkSendAt, readGlobalArgs, readHeaders, readMailbox, readPersonalizations } from "./personalization.ts";
import type { Personalization } from "./personalization.ts";

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

/** Settings that have an effect here. */
interface Settings {
  /** Whether the mail is only checked. */
  readonly isSandbox: boolean;
  /** Text that is appended to each body. */
  readonly footer: { readonly text: string; readonly html: string };
}

const groupsToDisplayMax = 25;

/** Members of settings with their types; `enable` of each is a boolean. */
const members: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, "boolean" | "string">>>>>> = {
  mail_settings: {
    bypass_list_management: {},
    bypass_spam_management: {},
    bypass_bounce_management: {},
    bypass_unsubscribe_management: {},
    footer: { text: "string", html: "string" },
    sandbox_mode: {},
  },
  tracking_settings: {
    click_tracking: { enable_text: "boolean" },
    open_tracking: { substitution_tag: "string" },
    subscription_tracking: { text: "string", html: "string", substitution_tag: "string" },
    ganalytics: {
      utm_source: "string",
      utm_medium: "string",
      utm_term: "string",
      utm_content: "string",
      utm_campaign: "string",
    },
  },
};

/** Reads `mail_settings`, and checks `tracking_settings`, `asm` and `ip_pool_name`. */
function readSettings(issues: Issues, body: JsonObject): Settings {
  checkAsm(issues, body);
  if (body["ip_pool_name"] !== undefined && typeof body["ip_pool_name"] !== "string") {
    issues.add("poolName", "ip_pool_name");
  }
  for (const [group, settings] of Object.entries(members)) {
    const given = issues.object(body[group], group) ?? {};
    for (const [name, types] of Object.entries(settings)) {
      checkSetting(issues, given[name], { path: `${group}.${name}`, types });
    }
  }
  const mailSettings = isJsonObject(body["mail_settings"]) ? body["mail_settings"] : {};
  const enabled = (name: string): JsonObject => {
    const setting = mailSettings[name];
    return isJsonObject(setting) && setting["enable"] === true ? setting : {};
  };
  const { text, html } = enabled("footer");
  return {
    isSandbox: enabled("sandbox_mode")["enable"] === true,
    footer: { text: typeof text === "string" ? text : "", html: typeof html === "string" ? html : "" },
  };
}

interface SettingPlace {
  readonly path: string;
  readonly types: Readonly<Record<string, "boolean" | "string">>;
}

function checkSetting(issues: Issues, value: unknown, { path, types }: SettingPlace): void {
  const setting = issues.object(value, path);
  for (const [name, type] of Object.entries({ enable: "boolean", ...types } as const)) {
    const member = setting?.[name] ?? undefined;
    if (member !== undefined && typeof member !== type) issues.addType(type, `${path}.${name}`, member);
  }
}

function checkAsm(issues: Issues, body: JsonObject): void {
  const asm = issues.object(body["asm"], "asm");
  if (asm === undefined) return;
  if (!Number.isInteger(asm["group_id"])) issues.add("groupId", "asm.group_id");
  const groups: unknown = asm["groups_to_display"] ?? [];
  if (!Array.isArray(groups) || !groups.every((one) => Number.isInteger(one))) {
    issues.add("groupsToDisplay", "asm.groups_to_display");
  } else if (groups.length > groupsToDisplayMax) issues.add("groupsToDisplayCount", "asm.groups_to_display");
}
