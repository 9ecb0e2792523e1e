/** Endpoints that read messages back. */
import type { FormFields } from "../../core/read-form.ts";
import type { EmailSession, StoredEmail } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Handler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { invalid } from "./errors.ts";
import { findEmail, listWire, messageIdOf } from "./response.ts";

const limitMax = 1000;
const limitDefault = 10;
/** Most messages that a list looks at, newest first, and messages that are in memory at once. */
const bounds = { countMax: 1000, pageSize: 25 };

/** Returns one message: `GET /v3/REST/message/:id`. */
export const getMessage: Handler = async ({ request, session }) => {
  const email = await findEmail(session, request.params["id"] ?? "");
  return jsonResponse(200, listWire([messageWire(email, request.fields)]));
};

/** Returns the only event of a message, that it was sent: `GET /v3/REST/messagehistory/:id`. */
export const getHistory: Handler = async ({ request, session }) => {
  const { createdAt } = await findEmail(session, request.params["id"] ?? "");
  const event = { Comment: "", EventAt: Math.floor(createdAt / 1000), EventType: "sent", State: "" };
  return jsonResponse(200, listWire([{ ...event, Useragent: "", UseragentID: 0 }]));
};

/** Lists messages, oldest first: `GET /v3/REST/message`. */
export const listMessages: Handler = async ({ request, session }) => {
  const { fields } = request;
  const { limit, offset } = readPage(fields);
  const found = await collect(session, fields);
  const isNewestFirst = /\bdesc$/i.test(fieldOfAnyCase(fields, "sort") ?? "");
  const sorted = isNewestFirst ? found : found.toReversed();
  const page = sorted.slice(offset, offset + limit);
  if (fieldOfAnyCase(fields, "countonly") === "1") return jsonResponse(200, listWire([], found.length));
  return jsonResponse(200, listWire(page, found.length));
};

/** Returns the limit and the offset of a list; throws Mailjet's error for anything but natural numbers. */
export function readPage(fields: FormFields): { readonly limit: number; readonly offset: number } {
  const read = (name: string, missing: number): number => {
    const text = fieldOfAnyCase(fields, name);
    if (text === undefined) return missing;
    if (!/^\d{1,9}$/.test(text)) throw invalid(`Invalid ${name}: a number is required`);
    return Number(text);
  };
  const limit = read("limit", limitDefault);
  return { limit: limit === 0 ? limitMax : Math.min(limit, limitMax), offset: read("offset", 0) };
}

/** Returns the value of a filter, whose name is compared without letter case; undefined for an absent or empty one. */
export function fieldOfAnyCase(fields: FormFields, name: string): string | undefined {
  return fieldOf(
    fields.map(([key, value]) => [key.toLowerCase(), value]),
    name,
  );
}

/** Returns the newest matching messages, newest first, without their bodies. */
async function collect(session: EmailSession, fields: FormFields): Promise<readonly JsonObject[]> {
  const customId = fieldOfAnyCase(fields, "customid");
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
  const text = fieldOfAnyCase(fields, name);
  if (text === undefined) return null;
  const instant = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Number.isNaN(instant)) throw invalid(`Invalid ${name}: a timestamp is required`);
  return instant;
}

function messageWire({ message, providerId, createdAt }: StoredEmail, fields: FormFields): JsonObject {
  const shows = (name: string): boolean => /^(?:true|1)$/i.test(fieldOfAnyCase(fields, name) ?? "");
  const bodies = { IsHTMLPartIncluded: message.html.body !== null, IsTextPartIncluded: message.text.body !== null };
  return {
    ArrivedAt: new Date(createdAt).toISOString().replace(/\.\d{3}Z$/, "Z"),
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
