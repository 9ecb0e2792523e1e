/** Requests to send a message: form fields → parameters of a mail. */
import { readMailDate } from "../../core/mail-date.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft, ProviderFacts } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName, withoutRepetitions } from "../formats/mail-fields.ts";
import { isEmailAddress, parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { readFormBody, type FormBody } from "../formats/multipart.ts";
import type { ProviderRequest } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";

/** Most recipients in to, cc and bcc together. */
export const recipientCountMax = 1000;

/** Recipients of a mail, each once. */
export type Recipients = Pick<EmailDraft, "to" | "cc" | "bcc">;

/** Address in lower case → variables. */
export type RecipientVariables = ReadonlyMap<string, JsonObject>;

/** Template of a mail. */
export interface TemplateChoice {
  readonly name: string;
  /** Null for the active version. */
  readonly version: string | null;
  /** Whether the mail also gets a text body. */
  readonly hasText: boolean;
  readonly variables: JsonObject;
}

/** Valid request to `/messages`. */
export interface MessageRequest extends Omit<EmailDraft, "from" | "headers" | "replyTo"> {
  /** Null when the template determines it. */
  readonly from: DraftMailbox | null;
  readonly template: TemplateChoice | null;
  readonly options: SendOptions;
  /** Null unless every recipient gets a mail of its own. */
  readonly recipientVariables: RecipientVariables | null;
}

/** Valid request to `/messages.mime`. */
export interface MimeRequest {
  readonly to: readonly DraftMailbox[];
  readonly raw: Uint8Array;
  readonly options: SendOptions;
}

/** Throws Mailgun's 404 unless the domain is a host name; every host name may send. */
export function requireDomain(domain: string): string {
  if (!isEmailAddress(`postmaster@${domain}`)) throw mailgunError(texts.domainNotFound(domain), "not_found");
  return domain;
}

/** Returns the fields and files of a body, none for another content type; throws Mailgun's error for a malformed body. */
export async function readBody({ body, headers }: ProviderRequest): Promise<FormBody> {
  const contentType = headers["content-type"] ?? "";
  if (!/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(contentType)) {
    return { fields: [], files: [] };
  }
  const form = await readFormBody(body, contentType);
  if (form === null) throw mailgunError(texts.malformedForm);
  return {
    fields: form.fields.map(([name, value]) => [plainName(name), value]),
    files: form.files.map((file) => ({ ...file, name: plainName(file.name) })),
  };
}

/** Returns the name of a repeated field without the index that PHP adds: `attachment[0]`, `o:tag[]`, but not of a variable. */
function plainName(name: string): string {
  return /\[\d*\]$/.test(name) && !/^[vh]:/.test(name) ? name.slice(0, name.lastIndexOf("[")) : name;
}

/** Decodes a request to `/messages`; throws Mailgun's error for the first parameter that is invalid. */
export async function readMessageRequest(request: ProviderRequest, now: number): Promise<MessageRequest> {
  const { fields, files } = await readBody(request);
  const options = readOptions(fields, now);
  const template = readTemplateChoice(fields);
  const from = readFrom(fields, template !== null);
  const recipients = readRecipients(fields);
  const attachments = [...readFiles({ fields, files }, "attachment"), ...readFiles({ fields, files }, "inline")];
  const html = fieldOf(fields, "html") ?? null;
  const text = fieldOf(fields, "text") ?? null;
  const amp = fieldOf(fields, "amp-html");
  if (html !== null && template !== null) throw mailgunError(texts.htmlAndTemplate);
  if (html === null && text === null && amp === undefined && template === null) throw mailgunError(texts.noBody);
  const hasVariables = fieldOf(fields, "recipient-variables") !== undefined;
  return {
    from,
    ...recipients,
    subject: fieldOf(fields, "subject") ?? "",
    text,
    html,
    template,
    attachments: amp === undefined ? attachments : [...attachments, ampPart(amp)],
    options,
    recipientVariables: hasVariables ? readRecipientVariables(jsonObjectOf(fields, "recipient-variables")) : null,
  };
}

/** Decodes a request to `/messages.mime`; throws Mailgun's error for the first parameter that is invalid. */
export async function readMimeRequest(request: ProviderRequest, now: number): Promise<MimeRequest> {
  const contentType = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\b/i.test(contentType)) throw mailgunError(texts.wrongContentType(contentType));
  const { fields, files } = await readBody(request);
  const options = readOptions(fields, now);
  const { to } = readRecipients(fields);
  const file = files.find(({ name }) => name === "message")?.content;
  const raw = file ?? Buffer.from(fieldOf(fields, "message") ?? "");
  if (raw.byteLength === 0) throw mailgunError(texts.messageMissing);
  return { to, raw, options };
}

/** Returns the mailboxes of a parameter that may repeat, each address once; throws Mailgun's error for an invalid one. */
function readMailboxes(fields: FormFields, name: string): readonly DraftMailbox[] {
  const lists = valuesOf(fields, name).map((value) => {
    const list = parseMailboxes(value);
    if (list === undefined || list.length === 0) throw mailgunError(texts.invalidAddress(name));
    return list;
  });
  return withoutRepetitions(lists.flat());
}

/** Decodes the recipients, at least one in `to`; throws Mailgun's error for the first that is invalid. */
export function readRecipients(fields: FormFields): Recipients {
  const to = readMailboxes(fields, "to");
  if (to.length === 0) throw mailgunError(texts.toMissing);
  const cc = readMailboxes(fields, "cc");
  const bcc = readMailboxes(fields, "bcc");
  if (to.length + cc.length + bcc.length > recipientCountMax) throw mailgunError(texts.tooManyRecipients);
  return { to, cc, bcc };
}

function readFrom(fields: FormFields, isOptional: boolean): DraftMailbox | null {
  const text = fieldOf(fields, "from");
  if (text === undefined && isOptional) return null;
  if (text === undefined) throw mailgunError(texts.fromMissing);
  const mailbox = parseMailbox(text);
  if (mailbox === undefined) throw mailgunError(texts.invalidAddress("from"));
  return mailbox;
}

function readTemplateChoice(fields: FormFields): TemplateChoice | null {
  const name = fieldOf(fields, "template");
  if (name === undefined) return null;
  return {
    name,
    version: fieldOf(fields, "t:version") ?? null,
    hasText: fieldOf(fields, "t:text") === "yes",
    variables: jsonObjectOf(fields, "t:variables"),
  };
}

function readFiles({ fields, files }: FormBody, name: "attachment" | "inline"): readonly DraftAttachment[] {
  if (valuesOf(fields, name).length > 0) throw mailgunError(texts.notAFile(name));
  const isInline = name === "inline";
  // An inline file is referred to by its name: `cid:logo.png`.
  return files
    .filter((file) => file.name === name)
    .map(({ name: _name, ...file }) => ({ ...file, contentId: isInline ? file.fileName : null, isInline }));
}

function ampPart(amp: string): DraftAttachment {
  const content = Buffer.from(amp);
  return { fileName: null, contentType: "text/x-amp-html; charset=utf-8", content, contentId: null, isInline: false };
}

const optionsBytesMax = 16 * 1024;
const deliveryMsMax = 7 * 24 * 60 * 60 * 1000;
const variablesHeader = "x-mailgun-variables";

/** Valid send options. */
export interface SendOptions extends Pick<EmailDraft, "headers" | "replyTo">, Pick<ProviderFacts, "tags" | "metadata"> {
  /** Message-Id field of the request, with angle brackets; null without one. */
  readonly messageId: string | null;
  /** Milliseconds since the Unix epoch; null for now. */
  readonly sendAt: number | null;
  readonly isTest: boolean;
}

/** Decodes the send options; throws Mailgun's error for the first that is invalid. */
export function readOptions(fields: FormFields, now: number): SendOptions {
  const options = fields.filter(([name]) => /^[ohvt]:/.test(name));
  const bytes = options.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  if (bytes > optionsBytesMax) throw mailgunError(texts.optionsTooLong);
  const headers = prefixed(options, "h:");
  const invalid = headers.find(([name]) => !isHeaderName(name));
  if (invalid !== undefined) throw mailgunError(texts.invalidHeaderName(invalid[0]));
  const testMode = fieldOf(fields, "o:testmode")?.toLowerCase();
  return {
    tags: valuesOf(options, "o:tag"),
    metadata: readMetadata(options, headers),
    headers: headers.filter(([name]) => !ownFields.has(name.toLowerCase())),
    replyTo: readReplyTo(headers),
    messageId: readMessageId(headers),
    sendAt: readDeliveryTime(fieldOf(fields, "o:deliverytime"), now),
    isTest: testMode === "yes" || testMode === "true",
  };
}

/** Fields that have members of their own; compared in lower case. */
const ownFields: ReadonlySet<string> = new Set(["reply-to", "message-id", variablesHeader]);

/** Returns the non-empty values of a field, in order. */
export function valuesOf(fields: FormFields, name: string): readonly string[] {
  return fields.flatMap(([key, value]) => (key === name && value !== "" ? [value] : []));
}

/** Returns the JSON object of a field, {} for an absent one; throws Mailgun's error for anything else. */
export function jsonObjectOf(fields: FormFields, name: string): JsonObject {
  const text = fieldOf(fields, name);
  const value = text === undefined ? {} : readJson(Buffer.from(text));
  if (!isJsonObject(value)) throw mailgunError(texts.invalidJson(name));
  return value;
}

/** Returns a value of a JSON object as text: strings unchanged, all others as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function prefixed(fields: FormFields, prefix: string): FormFields {
  return fields.flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []));
}

function readMetadata(options: FormFields, headers: FormFields): Readonly<Record<string, string>> {
  const inHeaders = headers
    .filter(([name]) => name.toLowerCase() === variablesHeader)
    .flatMap(([name, value]) => Object.entries(jsonObjectOf([[name, value]], name)));
  const entries = inHeaders.map(([name, value]) => [name, textOfValue(value)] as const);
  return Object.fromEntries([...entries, ...prefixed(options, "v:")]);
}

function readReplyTo(headers: FormFields): readonly DraftMailbox[] {
  const text = headers.findLast(([name]) => name.toLowerCase() === "reply-to")?.[1] ?? "";
  const mailboxes = parseMailboxes(text);
  if (mailboxes === undefined) throw mailgunError(texts.invalidAddress("h:Reply-To"));
  return mailboxes;
}

function readMessageId(headers: FormFields): string | null {
  const text = headers.findLast(([name]) => name.toLowerCase() === "message-id")?.[1].trim() ?? "";
  return /^<[^<>\s@]{1,200}@[^<>\s@]{1,200}>$/.test(text) ? text : null;
}

function readDeliveryTime(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const instant = readMailDate(text)?.instant;
  if (instant === undefined) throw mailgunError(texts.invalidDate(text));
  if (instant > now + deliveryMsMax) throw mailgunError(texts.tooLate);
  return instant;
}

/** Decodes the variables by recipient; throws Mailgun's error when a recipient's variables are no object. */
function readRecipientVariables(value: JsonObject): RecipientVariables {
  return new Map(
    Object.entries(value).map(([address, variables]) => {
      if (!isJsonObject(variables)) throw mailgunError(texts.invalidJson("recipient-variables"));
      return [address.toLowerCase(), variables] as const;
    }),
  );
}
