/** Mails of a sandbox: https://docs.mailtrap.io/developers/email-sandbox/messages */
import { foldText } from "../../core/fold.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import { or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { countOf, fieldOf } from "../formats/form.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { MailboxMessage } from "../mailbox.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { findByNumber, numberOfMessage, numberOfServer, oldestIdOf, readNumber } from "./numeric-ids.ts";
import { readMailtrapObject } from "./request.ts";
import { instantOf, openSandbox, type Sandbox } from "./sandbox.ts";

const pageSize = 30;

/** Mail of a request. */
interface OpenedMail extends Sandbox {
  readonly mail: MailboxMessage;
}

/** Returns the handler of an endpoint about the mail of the path. */
function forMail(respond: (opened: OpenedMail, call: Call) => Promise<ProviderResponse>): Handler {
  return async (call) => {
    const sandbox = await openSandbox(call);
    const id = await findByNumber(sandbox.mailbox, readNumber(call.request.params["id"]));
    if (id === undefined) throw errors.notFound();
    return respond({ ...sandbox, mail: await sandbox.mailbox.get(id) }, call);
  };
}

/** As {@link forMail}, with the JSON of the response. */
function showing(resource: (opened: OpenedMail, call: Call) => unknown): Handler {
  return forMail(async (opened, call) => jsonResponse(200, await resource(opened, call)));
}

/** Lists 30 mails, newest first, with `search`, `page` and `last_id`: `GET …/inboxes/:inbox/messages`. */
export const listMessages: Handler = async (call) => {
  const sandbox = await openSandbox(call);
  const { fields } = call.request;
  const page = Math.max(1, countOf(fields, "page", 1));
  const before = await readLastId(fieldOf(fields, "last_id"), sandbox);
  const { ids } = await sandbox.mailbox.list({
    expression: expressionOf(fieldOf(fields, "search")),
    direction: "Received",
    skip: (page - 1) * pageSize,
    top: pageSize,
    ...(before !== undefined && { before }),
  });
  const mails = await sandbox.mailbox.read(ids);
  const resources = mails.map((mail) => resourceOf({ ...sandbox, mail }, call));
  return jsonResponse(200, resources);
};

/** A search finds parts of the subject, and of the names and addresses of the recipients. */
function expressionOf(search: string | undefined): SearchExpression {
  if (search === undefined) return { kind: "always" };
  return or(
    { kind: "text", field: "subject", term: foldText(search) },
    { kind: "part", part: "to", term: foldPart(search) },
  );
}

async function readLastId(text: string | undefined, { mailbox, server }: Sandbox): Promise<MessageId | undefined> {
  if (text === undefined) return undefined;
  const number = readNumber(text);
  if (number < 0) throw errors.invalid(["last_id is invalid"], 422);
  return (await findByNumber(mailbox, number)) ?? oldestIdOf(server.id, number);
}

/** Returns a mail: `GET …/messages/:id`. */
export const getMessage: Handler = showing(resourceOf);

/** Marks a mail as read or unread: `PATCH …/messages/:id` with `{"message": {"is_read": true}}`. */
export const updateMessage: Handler = showing(async (opened, call) => {
  const { message } = readMailtrapObject(call.request.body);
  const isRead = isJsonObject(message) ? message["is_read"] : undefined;
  if (typeof isRead !== "boolean" && isRead !== "true" && isRead !== "false")
    throw errors.invalid(["is_read is invalid"], 422);
  const { mail, mailbox } = opened;
  await mailbox.mark([mail.id], String(isRead) === "true" ? { addFlags: ["seen"] } : { removeFlags: ["seen"] });
  return resourceOf({ ...opened, mail: await mailbox.get(mail.id) }, call);
});

/** Deletes a mail, and returns it: `DELETE …/messages/:id`. */
export const deleteMessage: Handler = showing(async (opened, call) => {
  await opened.mailbox.remove(opened.mail.id);
  return resourceOf(opened, call);
});

/** HTML of strangers runs no script and loads nothing, also in a browser that opens it. */
const isolation = {
  "content-security-policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
};

function handlerOfBody(type: string, bodyOf: (message: Message) => string | null): Handler {
  return forMail(async ({ mail: { message } }) => {
    const text = bodyOf(message);
    if (text === null) throw errors.notFound();
    return { status: 200, headers: isolation, body: { contentType: `${type}; charset=utf-8`, text } };
  });
}

function handlerOfSource(contentType: string): Handler {
  return forMail(async ({ mail, mailbox }) => {
    return { status: 200, headers: isolation, body: { contentType, bytes: await mailbox.getRaw(mail.id) } };
  });
}

/** Returns the HTML, and its source: `GET …/messages/:id/body.html` and `body.htmlsource`. */
export const getHtml: Handler = handlerOfBody("text/html", ({ html }) => html.body);
/** Returns the text: `GET …/messages/:id/body.txt`. */
export const getText: Handler = handlerOfBody("text/plain", ({ text }) => text.body);
/** Returns the source: `GET …/messages/:id/body.raw`. */
export const getRaw: Handler = handlerOfSource("text/plain; charset=utf-8");
/** Returns the source as a file: `GET …/messages/:id/body.eml`. */
export const getEml: Handler = handlerOfSource("message/rfc822");

/** Returns the header fields, the first of each name: `GET …/messages/:id/mail_headers`. */
export const getHeaders: Handler = showing(({ mail }) => {
  const headers = mail.message.metadata.headers.map(({ field, value }) => {
    return [field.toLowerCase().replaceAll("-", "_"), value] as const;
  });
  return { headers: Object.fromEntries(headers.toReversed()) };
});

/** Returns the spam report: `GET …/messages/:id/spam_report`. */
export const getSpamReport: Handler = showing(async ({ mail, mailbox }) => {
  const { score, threshold, rules } = await mailbox.checkSpam(mail.id);
  const details = rules.map(({ rule, score: points, description }) => {
    return { Pts: points.toFixed(1), RuleName: rule, Description: description };
  });
  const result = { Score: score, Spam: score >= threshold, Threshold: threshold, Details: details };
  return { report: { ResponseCode: 0, ResponseMessage: "EX_OK", ResponseVersion: "1.1", ...result } };
});

/** Returns the features of the HTML that email clients do not support: `GET …/messages/:id/analyze`. */
export const getHtmlAnalysis: Handler = showing(async ({ mail, mailbox }) => {
  const features = await mailbox.checkHtml(mail.id);
  if (features === null) return { report: { status: "error", msg: "The message has no HTML part" } };
  const rows = features.map(({ title, unsupported }) => {
    return { error_line: null, rule_name: title, email_clients: { desktop: unsupported, mobile: [], web: [] } };
  });
  return { report: { status: "success", errors: rows } };
});

/** Lists attachments: `GET …/messages/:id/attachments`, all or those of an `attachment_type`. */
export const listAttachments: Handler = showing((opened, call) => {
  const type = fieldOf(call.request.fields, "attachment_type");
  const all = opened.mail.message.attachments.map((_, at) => attachmentOf(opened, call, at));
  return all.filter((one) => type === undefined || one["attachment_type"] === type);
});

/** Returns an attachment: `GET …/messages/:id/attachments/:attachment`. */
export const getAttachment: Handler = showing((opened, call) => attachmentOf(opened, call, positionOf(call)));

/** Returns the content of an attachment: `GET …/messages/:id/attachments/:attachment/download`. */
export const downloadAttachment: Handler = forMail(async (opened, call) => {
  const bytes = await opened.mailbox.getAttachment(fileAt(opened, positionOf(call)).id);
  const headers = { ...isolation, "content-disposition": "attachment" };
  return { status: 200, headers, body: { contentType: "application/octet-stream", bytes } };
});

/** The number of an attachment is its position in the mail, from 1. */
function positionOf({ request }: Call): number {
  return readNumber(request.params["attachment"]) - 1;
}

function fileAt({ mail }: OpenedMail, position: number): Message["attachments"][number] {
  const file = mail.message.attachments[position];
  if (file === undefined) throw errors.notFound();
  return file;
}

function attachmentOf(opened: OpenedMail, call: Call, at: number): JsonObject {
  const { fileName, contentType, contentId, length } = fileAt(opened, at);
  const created = instantOf(opened.mail.id);
  return {
    id: at + 1,
    message_id: numberOfMessage(opened.mail.id),
    filename: fileName,
    attachment_type: contentId === null ? "attachment" : "inline",
    content_type: contentType,
    content_id: contentId ?? "",
    transfer_encoding: "base64",
    attachment_size: length,
    created_at: created,
    updated_at: created,
    attachment_human_size: humanSize(length),
    download_path: `${pathOf(opened, call)}/attachments/${at + 1}/download`,
  };
}

/** Returns the path of a mail below the host of the API. */
function pathOf({ mail, server }: OpenedMail, { request }: Call): string {
  const account = encodeURIComponent(request.params["account"] ?? "");
  return `/api/accounts/${account}/inboxes/${numberOfServer(server.id)}/messages/${numberOfMessage(mail.id)}`;
}

function resourceOf(opened: OpenedMail, call: Call): JsonObject {
  const { mail, server } = opened;
  const { message, sizeBytes, marks } = mail;
  const { email: from_email, name: from_name } = contactIn(message.from);
  const { email: to_email, name: to_name } = contactIn([...message.to, ...message.cc, ...message.bcc]);
  const created = instantOf(mail.id);
  const path = `${pathOf(opened, call)}/body`;
  return {
    id: numberOfMessage(mail.id),
    inbox_id: numberOfServer(server.id),
    subject: message.subject,
    sent_at: created,
    from_email,
    from_name,
    to_email,
    to_name,
    email_size: sizeBytes,
    is_read: marks.flags.includes("seen"),
    created_at: created,
    updated_at: created,
    template_id: 0,
    template_variables: message.provider?.template?.data ?? null,
    html_body_size: Buffer.byteLength(message.html.body ?? ""),
    text_body_size: Buffer.byteLength(message.text.body ?? ""),
    human_size: humanSize(sizeBytes),
    html_path: `${path}.html`,
    txt_path: `${path}.txt`,
    raw_path: `${path}.raw`,
    download_path: `${path}.eml`,
    html_source_path: `${path}.htmlsource`,
    blacklists_report_info: { result: "success", domain: from_email.split("@").at(-1), ip: "", report: [] },
    smtp_information: envelopeOf(message.metadata),
  };
}

/** Returns the first contact; empty texts without one. */
function contactIn([first]: Message["from"]): { readonly email: string; readonly name: string } {
  return { email: first?.email ?? "", name: first?.name ?? "" };
}

function envelopeOf({ mailFrom, rcptTo }: Message["metadata"]): JsonObject {
  if (mailFrom === null) return { ok: false };
  const recipients = rcptTo.map(({ email }) => email ?? "");
  return { ok: true, data: { mail_from_addr: mailFrom, client_ip: "", rcpt_to_addrs: recipients } };
}

/** Returns a size as Mailtrap writes it: `691 Bytes`, `1.25 KB`. */
function humanSize(bytes: number): string {
  const units = ["KB", "MB", "GB"];
  if (bytes < 1024) return `${bytes} Bytes`;
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${units[power - 1] ?? ""}`;
}
