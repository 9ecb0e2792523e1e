import type { SmtpSession } from "../../../core/smtp-session.ts";
import type { Attachment, HtmlContent, Message, TextContent } from "../../../core/message.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import type { BodyAnalyser } from "./body-analyser.ts";
import type { PartContent } from "../../../mime/part.ts";
import {
  codesOf,
  noLargeTexts,
  type ApartBodies,
  type BodyPlaces,
  type BodyRequest,
  type EmailBodies,
} from "./email-bodies.ts";

/** An attachment as it is kept: its URL depends on where the service is reached and is added on reading. */
export type StoredAttachment = Omit<Attachment, "url">;

/** A message as it is kept: null for bodies that are read out of the raw mail when they are shown. */
export interface StoredMessageDetail extends Omit<Message, "attachments" | "html" | "text"> {
  readonly attachments: readonly StoredAttachment[];
  readonly html: HtmlContent | null;
  readonly text: TextContent | null;
}

/**
 * What the store keeps as a message's detail. `parts[n]` locates `message.attachments[n]`. `htmlParts` and `textParts` locate
 * bodies that are read from the raw mail when they are shown: small ones, whose analysis costs little, and large ones, of
 * which links, codes and images are stored with `body` null.
 */
export interface StoredDetail extends BodyPlaces {
  readonly message: StoredMessageDetail;
  readonly parts: readonly PartContent[];
  readonly session: SmtpSession | null;
  /** The provider whose web hook brought a text; absent for all else. */
  readonly via?: string;
}

/** What rows of lists show beside the summary. */
export interface StoredExcerpt {
  /** One-time codes in the order found, HTML before text, none twice; null where the bodies are not read yet. */
  readonly codes: readonly string[] | null;
  /** The mail as received, in bytes; 0 where there are none (SMS). */
  readonly sizeBytes: number;
}

const beforeExcerpt = '{"glance":';
/** Ends the glance: within a text of JSON no quotation mark stands without a backslash. */
const afterExcerpt = ',"message":';

/** The detail as the bytes that the store keeps, what a glance tells of it in front. */
export function encodeDetail(detail: StoredDetail, sizeBytes: number): Uint8Array {
  const { html, text } = detail.message;
  const glance: StoredExcerpt = { codes: html === null || text === null ? null : codesOf({ html, text }), sizeBytes };
  return Buffer.from(JSON.stringify({ glance, ...detail }), "utf8");
}

/** The glance out of the bytes that {@link encodeDetail} made, without reading the rest; undefined where it has none. */
export function decodeExcerpt(bytes: Uint8Array): StoredExcerpt | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.toString("latin1", 0, beforeExcerpt.length) !== beforeExcerpt) return undefined;
  return JSON.parse(buffer.toString("utf8", beforeExcerpt.length, buffer.indexOf(afterExcerpt))) as StoredExcerpt;
}

/** The detail out of the bytes that {@link encodeDetail} made. */
export function decodeDetail(bytes: Uint8Array): StoredDetail {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as StoredDetail;
}

/** Whether showing the message takes its raw bytes. */
export function needsRaw(detail: StoredDetail): boolean {
  return detail.htmlParts.length > 0 || detail.textParts.length > 0;
}

/** Who analyses bodies that were not analysed when the mail arrived, and for whom. */
export interface BodyReading {
  readonly bodies: Pick<BodyAnalyser, "read" | "readApart">;
  readonly caller: WorkerCaller;
}

/** Returns the bodies as callers see them; `raw` may be empty unless {@link needsRaw}. Rejects as the analyser does. */
export async function showBodies(
  detail: StoredDetail,
  raw: Uint8Array,
  { bodies, caller }: Omit<BodyReading, "bodies"> & { readonly bodies: Pick<BodyAnalyser, "read"> },
): Promise<EmailBodies> {
  const request = requestOf(detail, raw);
  return request.known !== null && !needsRaw(detail) ? request.known : bodies.read(request, caller);
}

/** As {@link showBodies}, with the texts of large bodies as UTF-8 apart from them. */
export async function showBodiesApart(
  detail: StoredDetail,
  raw: Uint8Array,
  { bodies, caller }: BodyReading,
): Promise<ApartBodies> {
  const request = requestOf(detail, raw);
  return request.known !== null && !needsRaw(detail)
    ? { bodies: request.known, texts: noLargeTexts }
    : bodies.readApart(request, caller);
}

function requestOf({ message: { html, text }, htmlParts, textParts }: StoredDetail, raw: Uint8Array): BodyRequest {
  return { raw, places: { htmlParts, textParts }, known: html === null || text === null ? null : { html, text } };
}

/** Returns the message as callers see it, with the bodies of {@link showBodies}; `publicUrl` has no trailing slash. */
export function showMessage(detail: StoredDetail, bodies: EmailBodies, publicUrl: string): Message {
  const attachments = detail.message.attachments.map((one) => {
    return { ...one, url: `${publicUrl}/api/files/attachments/${one.id}` };
  });
  return { ...detail.message, ...bodies, attachments };
}
