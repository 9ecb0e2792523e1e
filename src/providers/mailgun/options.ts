/** Send options: form fields that start with `o:`, `h:`, `v:` or `t:`. */
import { readMailDate } from "../../core/mail-date.ts";
import type { DraftMailbox } from "../email.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { parseMailboxes } from "../formats/mailbox.ts";
import { mailgunError, texts } from "./errors.ts";

const optionsBytesMax = 16 * 1024;
const deliveryMsMax = 7 * 24 * 60 * 60 * 1000;
const variablesHeader = "x-mailgun-variables";

/** Valid send options. */
export interface SendOptions {
  readonly tags: readonly string[];
  /** Fields `v:name`, and the members of `h:X-Mailgun-Variables`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly replyTo: readonly DraftMailbox[];
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
