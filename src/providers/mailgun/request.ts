/** Requests to send a message: form fields → parameters of a mail. */
import { readMailDate } from "../../core/mail-date.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { DraftAttachment, DraftMailbox, EmailDraft, ProviderFacts } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, plainText, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName, textPart, withoutRepetitions } from "../formats/mail-fields.ts";
import { isEmailAddress, parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { readFormBody, type FormBody } from "../formats/multipart.ts";
import type { ProviderRequest } from "../provider.ts";
import { mailgunError, texts } from "./errors.ts";

/** Most recipients in to, cc and bcc together. */
const recipientCountMax = 1000;
const optionsBytesMax = 16 * 1024;
const deliveryMsMax = 7 * 24 * 60 * 60 * 1000;

/** Valid request to `/messages`; the sender is null when the template determines it. */
export type MessageRequest = ReturnType<typeof messageOf>;

/** Valid request to `/messages.mime`. */
export type MimeRequest = Pick<MessageRequest, "sendAt" | "isTest"> & {
  readonly to: readonly DraftMailbox[];
  readonly raw: Uint8Array;
  readonly facts: Pick<ProviderFacts, "tags" | "metadata">;
};

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
  return messageOf(await readBody(request), now);
}

function messageOf(form: FormBody, now: number) {
  const { fields } = form;
  const given = (name: string): string | null => fieldOf(fields, name) ?? null;
  const { headers, replyTo, tags, metadata, ...options } = readOptions(fields, now);
  const [id, amp] = [given("template"), given("amp-html")];
  const template = id === null ? null : { id, data: { ...metadata, ...jsonObjectOf(fields, "t:variables") } };
  const draft = {
    from: readFrom(given("from"), template !== null),
    ...readRecipients(fields),
    subject: given("subject") ?? "",
    text: given("text"),
    html: given("html"),
    replyTo,
    headers,
    attachments: [
      ...readFiles(form, "attachment"),
      ...readFiles(form, "inline"),
      ...(amp === null ? [] : [textPart("text/x-amp-html", amp)]),
    ],
  };
  if (draft.html !== null && template !== null) throw mailgunError(texts.htmlAndTemplate);
  if (draft.html === null && draft.text === null && amp === null && template === null) throw mailgunError(texts.noBody);
  return {
    draft,
    facts: { tags, metadata, template },
    ...options,
    /** Null for the active version of the template. */
    version: given("t:version"),
    /** Whether the mail gets a text body made from the template. */
    hasText: given("t:text") === "yes",
    recipientVariables: given("recipient-variables") === null ? null : readRecipientVariables(fields),
  };
}

/** Decodes a request to `/messages.mime`; throws Mailgun's error for the first parameter that is invalid. */
export async function readMimeRequest(request: ProviderRequest, now: number): Promise<MimeRequest> {
  const contentType = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\b/i.test(contentType)) throw mailgunError(texts.wrongContentType(contentType));
  const { fields, files } = await readBody(request);
  const { tags, metadata, sendAt, isTest } = readOptions(fields, now);
  const { to } = readRecipients(fields);
  const file = files.find(({ name }) => name === "message")?.content;
  const raw = file ?? Buffer.from(fieldOf(fields, "message") ?? "");
  if (raw.byteLength === 0) throw mailgunError(texts.messageMissing);
  return { to, raw, facts: { tags, metadata }, sendAt, isTest };
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
export function readRecipients(fields: FormFields): Pick<EmailDraft, "to" | "cc" | "bcc"> {
  const to = readMailboxes(fields, "to");
  if (to.length === 0) throw mailgunError(texts.toMissing);
  const cc = readMailboxes(fields, "cc");
  const bcc = readMailboxes(fields, "bcc");
  if (to.length + cc.length + bcc.length > recipientCountMax) throw mailgunError(texts.tooManyRecipients);
  return { to, cc, bcc };
}

function readFrom(text: string | null, isOptional: boolean): DraftMailbox | null {
  if (text === null && isOptional) return null;
  if (text === null) throw mailgunError(texts.fromMissing);
  const mailbox = parseMailbox(text);
  if (mailbox === undefined) throw mailgunError(texts.invalidAddress("from"));
  return mailbox;
}

function readFiles({ fields, files }: FormBody, name: "attachment" | "inline"): readonly DraftAttachment[] {
  if (valuesOf(fields, name).length > 0) throw mailgunError(texts.notAFile(name));
  const isInline = name === "inline";
  // An inline file is referred to by its name: `cid:logo.png`.
  return files
    .filter((file) => file.name === name)
    .map(({ name: _name, ...file }) => ({ ...file, contentId: isInline ? file.fileName : null, isInline }));
}

const variablesHeader = "x-mailgun-variables";
/** Fields that have members of their own; compared in lower case. */
const ownFields: ReadonlySet<string> = new Set(["reply-to", "message-id", variablesHeader]);

/** Decodes the send options; throws Mailgun's error for the first that is invalid. */
function readOptions(fields: FormFields, now: number) {
  const options = fields.filter(([name]) => /^[ohvt]:/.test(name));
  const bytes = options.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  if (bytes > optionsBytesMax) throw mailgunError(texts.optionsTooLong);
  const headers = prefixed(options, "h:");
  const invalid = headers.find(([name]) => !isHeaderName(name));
  if (invalid !== undefined) throw mailgunError(texts.invalidHeaderName(invalid[0]));
  const tags = valuesOf(options, "o:tag");
  const metadata = readMetadata(options, headers);
  const replyTo = parseMailboxes(lastOf(headers, "reply-to"));
  if (replyTo === undefined) throw mailgunError(texts.invalidAddress("h:Reply-To"));
  const messageId = lastOf(headers, "message-id").trim();
  const added: FormFields = [
    ...tags.map((tag) => ["X-Mailgun-Tag", tag] as const),
    ["X-Mailgun-Variables", Object.keys(metadata).length === 0 ? "" : JSON.stringify(metadata)],
  ];
  return {
    tags,
    metadata,
    /** Those of the request, and those that Mailgun adds. */
    headers: [
      ...headers.filter(([name]) => !ownFields.has(name.toLowerCase())),
      ...added.filter(([, value]) => value !== ""),
    ],
    replyTo,
    /** Message-Id field of the request, with angle brackets; null without one. */
    messageId: /^<[^<>\s@]{1,200}@[^<>\s@]{1,200}>$/.test(messageId) ? messageId : null,
    /** Milliseconds since the Unix epoch; null for now. */
    sendAt: readDeliveryTime(fieldOf(fields, "o:deliverytime"), now),
    isTest: /^(?:yes|true)$/i.test(fieldOf(fields, "o:testmode") ?? ""),
  };
}

/** Returns the last value of a header field, whose name is in lower case; "" without one. */
function lastOf(headers: FormFields, field: string): string {
  return headers.findLast(([name]) => name.toLowerCase() === field)?.[1] ?? "";
}

/** Returns the non-empty values of a field, in order. */
function valuesOf(fields: FormFields, name: string): readonly string[] {
  return fields.flatMap(([key, value]) => (key === name && value !== "" ? [value] : []));
}

/** Returns the JSON object of a field, {} for an absent one; throws Mailgun's error for anything else. */
export function jsonObjectOf(fields: FormFields, name: string): JsonObject {
  const text = fieldOf(fields, name);
  const value = text === undefined ? {} : readJsonObject(text);
  if (value === undefined) throw mailgunError(texts.invalidJson(name));
  return value;
}

/** Returns the members of a JSON object as {@link plainText}. */
export function textsOf(members: JsonObject): FormFields {
  return Object.entries(members).map(([name, value]) => [name, plainText(value)]);
}

function prefixed(fields: FormFields, prefix: string): FormFields {
  return fields.flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []));
}

function readMetadata(options: FormFields, headers: FormFields): Readonly<Record<string, string>> {
  const inHeaders = headers
    .filter(([name]) => name.toLowerCase() === variablesHeader)
    .flatMap(([name, value]) => textsOf(jsonObjectOf([[name, value]], name)));
  return Object.fromEntries([...inHeaders, ...prefixed(options, "v:")]);
}

function readDeliveryTime(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const instant = readMailDate(text)?.instant;
  if (instant === undefined) throw mailgunError(texts.invalidDate(text));
  if (instant > now + deliveryMsMax) throw mailgunError(texts.tooLate);
  return instant;
}

/** Decodes the variables by address in lower case; throws Mailgun's error when those of a recipient are no object. */
function readRecipientVariables(fields: FormFields): ReadonlyMap<string, JsonObject> {
  const name = "recipient-variables";
  return new Map(
    Object.entries(jsonObjectOf(fields, name)).map(([address, variables]) => {
      if (!isJsonObject(variables)) throw mailgunError(texts.invalidJson(name));
      return [address.toLowerCase(), variables] as const;
    }),
  );
}
