/** Sent messages: https://postmarkapp.com/developer/api/messages-api */
import type { FormFields } from "../../core/read-form.ts";
import type { StoredEmail } from "../email.ts";
import { fieldOf, naturalOf } from "../formats/form.ts";
import { readIsoInstant } from "../formats/iso-instant.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidOfId } from "../formats/uuid.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { rejection, texts } from "./errors.ts";
import { defaultStream } from "./request.ts";

/** Newest messages that a search looks at. */
const bounds = { countMax: 1000, pageSize: 100 };
const dayMs = 24 * 3_600_000;

/** Searches sent messages, newest first: `GET /messages/outbound`. */
export const getMessages: Handler = async ({ request, session }) => {
  const fields = request.fields.map(([name, value]) => [name.toLowerCase(), value] as const);
  const { count, offset } = readPaging(fields, 700);
  const matching = await search(session, fields);
  const page = matching.slice(offset, offset + count).map(messageJson);
  return jsonResponse(200, { TotalCount: matching.length, Messages: page });
};

async function search(session: Call["session"], fields: FormFields): Promise<readonly StoredEmail[]> {
  const filter = {
    tag: fieldOf(fields, "tag") ?? null,
    to: fieldOf(fields, "recipient") ?? null,
    from: fieldOf(fields, "fromemail") ?? null,
    since: readInstant(fields, "fromdate", 0),
    before: readInstant(fields, "todate", dayMs),
  };
  const status = fieldOf(fields, "status")?.toLowerCase() ?? "sent";
  if (!["sent", "processed", "queued"].includes(status)) {
    throw rejection(700, "Parameter 'status' must be queued, sent or processed.");
  }
  // No message waits in a queue.
  if (status === "queued") return [];
  const matching: StoredEmail[] = [];
  for await (const email of newestEmails(session, filter, bounds)) if (matches(email, fields)) matching.push(email);
  return matching;
}

/** Returns an instant for a date, or a date and time, UTC unless it has an offset; `dateEnd` is added to a date. */
function readInstant(fields: FormFields, name: string, dateEnd: number): number | null {
  const text = fieldOf(fields, name);
  if (text === undefined) return null;
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?$/.test(text);
  const instant = isDate || isTime ? readIsoInstant(text) : undefined;
  if (instant === undefined) throw rejection(700, `Parameter '${name}' is not a valid date.`);
  return isDate ? instant + dateEnd : instant;
}

function matches(email: StoredEmail, fields: FormFields): boolean {
  const subject = fieldOf(fields, "subject");
  const stream = fieldOf(fields, "messagestream");
  return (
    (subject === undefined || email.message.subject.toLowerCase().includes(subject.toLowerCase())) &&
    (stream === undefined || streamOf(email) === stream) &&
    fields.every(([name, value]) => !name.startsWith("metadata_") || metadataHas(email, name.slice(9), value))
  );
}

function metadataHas({ facts }: StoredEmail, name: string, value: string): boolean {
  return Object.entries(facts.metadata).some(([key, one]) => key.toLowerCase() === name && one === value);
}

function streamOf({ message }: StoredEmail): string {
  const { headers } = message.metadata;
  return headers.find(({ field }) => field.toLowerCase() === "x-pm-message-stream")?.value ?? defaultStream;
}

/** Returns a message with its bodies: `GET /messages/outbound/:id/details`. */
export const getDetails: Handler = async (call) => {
  const email = await find(call);
  const { text, html } = email.message;
  return jsonResponse(200, {
    TextBody: text.body,
    HtmlBody: html.body,
    Body: await rawText(call, email),
    ...messageJson(email),
    MessageEvents: recipientsOf(email).map((recipient) => deliveryEvent(email, recipient)),
  });
};

/** Returns the source of a message: `GET /messages/outbound/:id/dump`. */
export const getDump: Handler = async (call) => jsonResponse(200, { Body: await rawText(call, await find(call)) });

async function find({ session, request }: Call): Promise<StoredEmail> {
  const uuid = uuidOfId((request.params["id"] ?? "").toLowerCase());
  return onProblem("not_found", session.getEmail(uuid), () => rejection(701, texts.messageMissing));
}

async function rawText({ session }: Call, { providerId }: StoredEmail): Promise<string> {
  return Buffer.from(await session.getRaw(providerId)).toString("utf8");
}

function recipientsOf({ message: { to, cc, bcc } }: StoredEmail): readonly string[] {
  return [...to, ...cc, ...bcc].flatMap(({ email }) => email ?? []);
}

function messageJson(email: StoredEmail): JsonObject {
  const { providerId, createdAt, facts, message } = email;
  const list = (contacts: StoredEmail["message"]["to"]): unknown =>
    contacts.map(({ email: address, name }) => ({ Email: address ?? "", Name: name === "" ? null : name }));
  const [from] = message.from;
  return {
    Tag: facts.tags[0] ?? null,
    MessageID: providerId,
    MessageStream: streamOf(email),
    To: list(message.to),
    Cc: list(message.cc),
    Bcc: list(message.bcc),
    Recipients: recipientsOf(email),
    ReceivedAt: instantText(createdAt),
    From: from === undefined ? "" : from.name === "" ? from.email : `"${from.name}" <${from.email ?? ""}>`,
    Subject: message.subject,
    Attachments: message.attachments.map(({ fileName }) => fileName),
    Status: "Sent",
    TrackOpens: false,
    TrackLinks: "None",
    Metadata: facts.metadata,
    Sandboxed: false,
  };
}

function deliveryEvent({ createdAt }: StoredEmail, recipient: string): JsonObject {
  return {
    Recipient: recipient,
    Type: "Delivered",
    ReceivedAt: instantText(createdAt),
    Details: { DeliveryMessage: "smtp;250 2.0.0 OK", DestinationServer: "localhost", DestinationIP: "127.0.0.1" },
  };
}

/** Returns an instant as the API writes it: `2026-11-20T10:42:07.0000000Z` with seven decimals. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().replace("Z", "0000Z");
}

const countMax = 500;
/** Largest sum of count and offset. */
const depthMax = 10_000;

/** Reads `count` (100 by default) and `offset` from fields with names in lower case; throws a rejection with `code`. */
export function readPaging(fields: FormFields, code: number): { readonly count: number; readonly offset: number } {
  const number = (name: string, absent: number): number => {
    const invalid = rejection(code, `Parameter '${name}' must be a positive number.`);
    return naturalOf(fields, name, { absent, max: 999_999, invalid });
  };
  const [count, offset] = [number("count", 100), number("offset", 0)];
  if (count > countMax) throw rejection(code, `Parameter 'count' must be at most ${countMax}.`);
  if (count + offset > depthMax) throw rejection(code, `Count and Offset cannot exceed ${depthMax} together.`);
  return { count, offset };
}
