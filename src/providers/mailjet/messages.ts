/** Messages read back. MessageUUID is the UUID, the older numeric MessageID is derived from it. */
import { decodeMessageId, parseMessageId } from "../../core/ids.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { EmailSession, StoredEmail } from "../email.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isUuid } from "../formats/uuid.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Handler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { invalid, objectNotFound } from "./errors.ts";

/** Ids count from here, so that they have at most 15 digits, which the library reads as numbers, until 2051. */
const epoch = Date.UTC(2020, 0, 1);
const idsPerMillisecond = 1000;
const limitMax = 1000;
const limitDefault = 10;
/** Most messages that a list looks at, newest first, and messages that are in memory at once. */
const bounds = { countMax: 1000, pageSize: 25 };

/** Returns one message: `GET /v3/REST/message/:id`. */
export const getMessage: Handler = async ({ request, session }) => {
  const email = await findEmail(session, request.params["id"] ?? "");
  return jsonResponse(200, listWire([messageWire(email, lowerNames(request.fields))]));
};

/** Returns the only event of a message, that it was sent: `GET /v3/REST/messagehistory/:id`. */
export const getHistory: Handler = async ({ request, session }) => {
  const { createdAt } = await findEmail(session, request.params["id"] ?? "");
  const event = { Comment: "", EventAt: Math.floor(createdAt / 1000), EventType: "sent", State: "" };
  return jsonResponse(200, listWire([{ ...event, Useragent: "", UseragentID: 0 }]));
};

/** Lists messages, oldest first: `GET /v3/REST/message`. */
export const listMessages: Handler = async ({ request, session }) => {
  const fields = lowerNames(request.fields);
  const { limit, offset } = readPage(fields);
  const found = await collect(session, fields);
  const sorted = /\bdesc$/i.test(fieldOf(fields, "sort") ?? "") ? found : found.toReversed();
  const page = fieldOf(fields, "countonly") === "1" ? [] : sorted.slice(offset, offset + limit);
  return jsonResponse(200, listWire(page, found.length));
};

/** Returns fields with their names in lower case, since Mailjet compares them without letter case. */
export function lowerNames(fields: FormFields): FormFields {
  return fields.map(([name, value]) => [name.toLowerCase(), value]);
}

/** Returns the limit and the offset of a list from {@link lowerNames}; throws Mailjet's error for anything but natural numbers. */
export function readPage(fields: FormFields): { readonly limit: number; readonly offset: number } {
  const read = (name: string, absent: number): number =>
    naturalOf(fields, name, { absent, max: 999_999_999, invalid: invalid(`Invalid ${name}: a number is required`) });
  return { limit: Math.min(read("limit", limitDefault) || limitMax, limitMax), offset: read("offset", 0) };
}

/** Returns the newest matching messages, newest first, without their bodies. */
async function collect(session: EmailSession, fields: FormFields): Promise<readonly JsonObject[]> {
  const customId = fieldOf(fields, "customid");
  const filter = { since: readInstant(fields, "fromts"), before: readInstant(fields, "tots") };
  const found: JsonObject[] = [];
  for await (const email of newestEmails(session, filter, bounds)) {
    const isMatch = customId === undefined || email.facts.metadata["CustomID"] === customId;
    if (isMatch) found.push(messageWire(email, fields));
  }
  return found;
}

/** Returns an instant in seconds or as an ISO 8601 date, in milliseconds; null without one. */
function readInstant(fields: FormFields, name: string): number | null {
  const text = fieldOf(fields, name);
  if (text === undefined) return null;
  const instant = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(instant)) throw invalid(`Invalid ${name}: a timestamp is required`);
  return instant;
}

function messageWire({ message, providerId, createdAt }: StoredEmail, fields: FormFields): JsonObject {
  const shows = (name: string): boolean => /^(?:true|1)$/i.test(fieldOf(fields, name) ?? "");
  const bodies = { IsHTMLPartIncluded: message.html.body !== null, IsTextPartIncluded: message.text.body !== null };
  return {
    ArrivedAt: instantText(createdAt),
    AttachmentCount: message.attachments.length,
    AttemptCount: 0,
    CampaignID: 0,
    ContactAlt: shows("showcontactalt") ? (message.to[0]?.email ?? "") : "",
    ContactID: 0,
    Delay: 0,
    DestinationID: 0,
    FilterTime: 0,
    ID: messageIdOf(providerId),
    IsClickTracked: false,
    IsOpenTracked: false,
    IsUnsubTracked: false,
    ...bodies,
    MessageSize: message.attachments.reduce((sum, { length }) => sum + length, 0),
    SenderID: 0,
    SpamassassinScore: 0,
    SpamassRules: "",
    StateID: 0,
    StatePermanent: false,
    Status: "sent",
    Subject: shows("showsubject") ? message.subject : "",
    UUID: providerId,
  };
}

/** Returns the numeric MessageID: the milliseconds of the UUID, and three digits of its random part. */
export function messageIdOf(uuid: string): number {
  const id = parseMessageId(uuid);
  if (id === undefined) return 0;
  const { receivedAt, random } = decodeMessageId(id);
  return Math.max(0, receivedAt - epoch) * idsPerMillisecond + (random % idsPerMillisecond);
}

/** Returns the mail with a MessageID or MessageUUID; rejects with Mailjet's 404 without one. */
async function findEmail(session: EmailSession, id: string): Promise<StoredEmail> {
  if (isUuid(id)) return session.getEmail(id);
  if (!/^[1-9]\d{0,14}$/.test(id)) throw objectNotFound();
  const instant = Math.floor(Number(id) / idsPerMillisecond) + epoch;
  for await (const email of newestEmails(session, { since: instant, before: instant + 1 }, bounds)) {
    if (messageIdOf(email.providerId) === Number(id)) return email;
  }
  throw objectNotFound();
}

/** Returns the members of a list response. */
export function listWire(data: readonly unknown[], total: number = data.length): JsonObject {
  return { Count: data.length, Data: data, Total: total };
}

/** Returns an instant as Mailjet writes it: `2026-11-20T10:42:07Z`. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d{3}Z$/, "Z");
}
