/** Body of `POST /v3/mail/send`: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
import { isUtf8 } from "node:buffer";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import { readJson } from "../formats/json-body.ts";
import { textPart } from "../formats/mail-fields.ts";
import { isUuid } from "../formats/uuid.ts";
import { rejection, sendGridError } from "./errors.ts";
import { Member, readEach } from "./member.ts";
import { readCustomArgs, readHeaders, readMailbox, readPersonalizations } from "./personalization.ts";
import { readSendAt, readSubject } from "./personalization.ts";

/** Valid request to send mail; texts are null when they are absent. */
export type SendRequest = NonNullable<ReturnType<typeof readRequest>>;

const categoryCountMax = 10;
const categoryLengthMax = 255;
const groupsToDisplayMax = 25;
const separators = /[;,\r\n]/;

/** Decodes a body; throws all errors. `now` in milliseconds since the Unix epoch. */
export function readSend(body: Uint8Array, now: number): SendRequest {
  const value = readJson(body);
  if (value === undefined) {
    if (!isUtf8(body)) throw rejection(415, [{ message: "Invalid UTF8 in request", field: null, help: null }]);
    throw rejection(400, [sendGridError("badRequest", null)]);
  }
  const member = new Member(value);
  const request = member.object() === undefined ? undefined : readRequest(member, now);
  if (member.errors.length > 0 || request === undefined) throw rejection(400, member.errors);
  return request;
}

function readRequest(one: Member, now: number) {
  const from = readFrom(one.at("from"));
  const templateId = readTemplateId(one.at("template_id"));
  const personalizations = readPersonalizations(one.at("personalizations"), {
    from,
    headers: readHeaders(one.at("headers")),
    customArgs: readCustomArgs(one),
    sendAt: readSendAt(one.at("send_at"), now),
    templateId,
    now,
  });
  const replyTo = readReplyTo(one);
  const subject = readSubject(one.at("subject"), templateId);
  if (templateId === null && subject === null && personalizations.some((mail) => mail.subject === null)) {
    one.at("subject").add("subjectRequired");
  }
  const { others, ...bodies } = readContent(one.at("content"), templateId === null);
  const members = {
    ...bodies,
    /** Files, and content of other types than text and HTML without a name. */
    attachments: [...others, ...one.at("attachments").each(readAttachment)],
    categories: readCategories(one.at("categories")),
    sections: one.at("sections").texts("sectionValues"),
    batchId: readBatchId(one.at("batch_id")),
    ...readSettings(one),
  };
  return from === undefined ? undefined : { from, templateId, personalizations, replyTo, subject, ...members };
}

function readFrom(member: Member): DraftMailbox | undefined {
  const from = member.orNull.object();
  const email = from?.["email"];
  if (!member.isAbsent && (from === undefined || (email !== undefined && email !== ""))) {
    return readMailbox(member, "from");
  }
  member.at("email").add("fromRequired");
  return undefined;
}

function readReplyTo(body: Member): readonly DraftMailbox[] {
  const [one, many] = [body.at("reply_to"), body.at("reply_to_list")];
  const list = many.orNull.array() ?? [];
  if (!one.isAbsent && list.length > 0) many.add("replyToTwice");
  return readEach(one.isAbsent ? list : [one], (mailbox) => readMailbox(mailbox, "reply_to"));
}

function readTemplateId(member: Member): string | null {
  const { value } = member;
  if (member.isAbsent || value === "") return null;
  if (typeof value !== "string") member.addShown("templateIdType");
  else if (isUuid(value) || /^d-[\x21-\x7e]{1,198}$/.test(value)) return value;
  else member.add("templateId", value);
  return null;
}

function readBatchId(member: Member): string | null {
  if (typeof member.value === "string") return member.value;
  if (!member.isAbsent) member.add("batchId");
  return null;
}

interface Block {
  readonly type: string;
  readonly value: string;
}

/** Reads `content`; it may be absent when a template has the bodies. */
function readContent(member: Member, isRequired: boolean) {
  const list = member.orNull.array();
  if (isRequired && (member.isAbsent || list?.length === 0)) member.add("contentRequired");
  const blocks = readEach(list, readBlock);
  const ranks = blocks.map(({ type }) => (type === "text/plain" ? 0 : type === "text/html" ? 1 : 2));
  if (new Set(blocks.map(({ type }) => type)).size < blocks.length) member.add("contentRepeated");
  if (ranks.some((rank, at) => rank < (ranks[at - 1] ?? 0))) member.add("contentOrder");
  const others = blocks.filter((_block, at) => ranks[at] === 2).map(({ type, value }) => textPart(type, value));
  return { text: blocks[ranks.indexOf(0)]?.value ?? null, html: blocks[ranks.indexOf(1)]?.value ?? null, others };
}

function readBlock(one: Member): Block | undefined {
  if (one.object() === undefined) return undefined;
  const [type, value] = [one.at("type"), one.at("value")];
  const block = {
    type: type.required("contentType", [separators, "contentTypeCharacters"]).trim().toLowerCase(),
    value: value.required("contentValue"),
  };
  return typeof type.value === "string" && typeof value.value === "string" ? block : undefined;
}

function readAttachment(one: Member): DraftAttachment | undefined {
  if (one.object() === undefined) return undefined;
  const { value: disposition = "attachment" } = one.at("disposition");
  if (disposition !== "inline" && disposition !== "attachment") one.at("disposition").addShown("attachmentDisposition");
  const base64 = one.at("content");
  const content = decodeStrictBase64(base64.required("attachmentContent"));
  if (content === null) base64.add("attachmentBase64");
  return {
    content: content ?? new Uint8Array(),
    fileName: one.at("filename").required("attachmentFileName", [/[\r\n]/, "attachmentFileNameCharacters"]),
    contentType: readType(one.at("type")),
    contentId: readContentId(one.at("content_id")),
    isInline: disposition === "inline",
  };
}

function readType(member: Member): string {
  if (member.value === undefined) return "application/octet-stream";
  return member.required("attachmentType", [separators, "attachmentTypeCharacters"]);
}

function readContentId(member: Member): string | null {
  const { value } = member;
  if (value === "" || member.isAbsent) return null;
  if (typeof value !== "string") member.addShown("attachmentContentId");
  else if (/[\r\n]/.test(value)) member.add("attachmentContentIdCharacters");
  return typeof value === "string" ? value.replace(/^<(.*)>$/, "$1") : null;
}

function readCategories(member: Member): readonly string[] {
  const given = typeof member.value === "string" ? [member.value] : (member.value ?? []);
  if (!Array.isArray(given) || !given.every((one) => typeof one === "string")) {
    member.add("categoriesType");
    return [];
  }
  if (given.length > categoryCountMax) {
    member.add("categoriesCount", String(given.length));
    return [];
  }
  const tooLong = given.find((one) => one.length > categoryLengthMax);
  if (tooLong !== undefined) member.add("categoryLength", tooLong);
  const repeated = given.find((one, at) => given.indexOf(one) !== at);
  if (repeated !== undefined) member.add("categoryRepeated", repeated);
  if (given.some((one) => /\P{ASCII}/u.test(one))) member.add("categoryAscii");
  return given;
}

/** Members of settings besides `enable`; those whose names begin with `enable` are booleans, all others texts. */
const settings: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  mail_settings: {
    bypass_list_management: [],
    bypass_spam_management: [],
    bypass_bounce_management: [],
    bypass_unsubscribe_management: [],
    footer: ["text", "html"],
    sandbox_mode: [],
  },
  tracking_settings: {
    click_tracking: ["enable_text"],
    open_tracking: ["substitution_tag"],
    subscription_tracking: ["text", "html", "substitution_tag"],
    ganalytics: ["utm_source", "utm_medium", "utm_term", "utm_content", "utm_campaign"],
  },
};

/** Reads `mail_settings`, and checks `tracking_settings`, `asm` and `ip_pool_name`. */
function readSettings(body: Member) {
  checkAsm(body.at("asm"));
  const pool = body.at("ip_pool_name");
  if (!["undefined", "string"].includes(typeof pool.value)) pool.add("poolName");
  for (const [group, names] of Object.entries(settings)) {
    const given = body.at(group);
    if (given.object() === undefined) continue;
    for (const [name, members] of Object.entries(names)) checkSetting(given.at(name), members);
  }
  const [footer, sandbox] = ["footer", "sandbox_mode"].map((name) => body.at("mail_settings").at(name));
  const textOf = (name: string): string => {
    const text = footer?.at("enable").value === true ? footer.at(name).value : null;
    return typeof text === "string" ? text : "";
  };
  return {
    /** Whether the mail is only checked. */
    isSandbox: sandbox?.at("enable").value === true,
    /** Texts that are appended to the bodies. */
    footer: { text: textOf("text"), html: textOf("html") },
  };
}

function checkSetting(setting: Member, members: readonly string[]): void {
  if (setting.object() === undefined) return;
  for (const name of ["enable", ...members]) {
    const member = setting.at(name).orNull;
    if (name.startsWith("enable")) member.flag();
    else member.text();
  }
}

function checkAsm(asm: Member): void {
  if (asm.object() === undefined) return;
  if (!Number.isInteger(asm.at("group_id").value)) asm.at("group_id").add("groupId");
  const groups = asm.at("groups_to_display");
  const given: unknown = groups.value ?? [];
  if (!Array.isArray(given) || !given.every((one) => Number.isInteger(one))) groups.add("groupsToDisplay");
  else if (given.length > groupsToDisplayMax) groups.add("groupsToDisplayCount");
}
