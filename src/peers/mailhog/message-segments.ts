import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import type { JsonSegment } from "../json-stream.ts";
import { readHeaders, type Content } from "./content.ts";

/** Values by the names of header fields. */
type HogHeaders = ReturnType<typeof readHeaders>;

/** Mail of a message. */
export interface HogMail {
  readonly id: MessageId;
  readonly message: Pick<Message, "from" | "to" | "cc" | "bcc" | "metadata">;
  readonly raw: Uint8Array;
  readonly content: Content;
  /** Host name of the service. */
  readonly host: string;
}

/** Path of an SMTP envelope. */
interface Path {
  readonly Relays: readonly string[] | null;
  readonly Mailbox: string;
  readonly Domain: string;
  readonly Params: string;
}

/** Yields the JSON of a message as MailHog writes it. */
export function* messageSegments({ id, message, raw, content, host }: HogMail): Generator<JsonSegment, void> {
  const { from, to, helo } = envelopeOf(message);
  const receivedAt = new Date(decodeMessageId(id).receivedAt);
  const trace = `from ${helo} by ${host} (restante)\r\n          id ${id}; ${receivedAt.toUTCString().replace("GMT", "+0000")}`;
  const headers = withTrace(readHeaders(content), { id, trace, from });
  yield `{"ID":${JSON.stringify(id)},"From":${JSON.stringify(pathOf(from))},"To":${JSON.stringify(to.map(pathOf))},"Content":`;
  yield* contentSegments({ ...content, parts: null }, headers);
  yield `,"Created":${JSON.stringify(receivedAt.toISOString())},"MIME":`;
  yield* partSegments(content.parts);
  yield `,"Raw":{"From":${JSON.stringify(from)},"To":${JSON.stringify(to)},"Data":"`;
  yield raw;
  yield `","Helo":${JSON.stringify(helo)}}}`;
}

/** Yields the JSON of a content; its header fields are read when their turn comes, so that those of one part are in memory. */
function* contentSegments(content: Content, headers: HogHeaders = readHeaders(content)): Generator<JsonSegment, void> {
  const { body, sizeBytes, parts } = content;
  yield `{"Headers":${JSON.stringify(headers)},"Body":"`;
  yield body;
  yield `","Size":${sizeBytes},"MIME":`;
  yield* partSegments(parts);
  yield "}";
}

function* partSegments(parts: readonly Content[] | null): Generator<JsonSegment, void> {
  if (parts === null) {
    yield "null";
    return;
  }
  yield '{"Parts":[';
  for (const [index, part] of parts.entries()) {
    if (index > 0) yield ",";
    yield* contentSegments(part);
  }
  yield "]}";
}

/** Returns the SMTP envelope; of messages without one, the addresses of the header. */
function envelopeOf({ from, to, cc, bcc, metadata }: HogMail["message"]): {
  readonly from: string;
  readonly to: readonly string[];
  readonly helo: string;
} {
  const recipients = metadata.rcptTo.length > 0 ? metadata.rcptTo : [...to, ...cc, ...bcc];
  const [sender] = from;
  return {
    from: metadata.mailFrom ?? sender?.email ?? sender?.phone ?? "",
    to: recipients.map(({ email, phone }) => email ?? phone ?? ""),
    helo: metadata.ehlo ?? "",
  };
}

function pathOf(address: string): Path {
  const at = address.indexOf("@");
  if (at === -1) return { Relays: null, Mailbox: address, Domain: "", Params: "" };
  return { Relays: null, Mailbox: address.slice(0, at), Domain: address.slice(at + 1), Params: "" };
}

/** Returns the fields with those that MailHog adds on receipt. */
function withTrace(
  headers: HogHeaders,
  { id, trace, from }: Pick<HogMail, "id"> & { readonly trace: string; readonly from: string },
): HogHeaders {
  const fields = new Map(Object.entries(headers));
  const nameOf = (name: string): string | undefined => [...fields.keys()].find((one) => one.toLowerCase() === name);
  const append = (name: string, value: string): void => {
    const own = nameOf(name.toLowerCase()) ?? name;
    fields.set(own, [...(fields.get(own) ?? []), value]);
  };
  if (nameOf("message-id") === undefined) fields.set("Message-ID", [id]);
  append("Received", trace);
  append("Return-Path", `<${from}>`);
  return Object.fromEntries(fields);
}
