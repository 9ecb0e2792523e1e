import type { MessageId } from "../../../core/ids.ts";
import type { Message, storedMessageSchema, Summary } from "../../../core/message.ts";
import { currentHops } from "../../../core/request-hops.ts";
import type { ValueOf } from "../../../core/schema.ts";
import type { SmtpSession } from "../../../core/smtp-session.ts";
import type { PartContent } from "../../../mime/part.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import type { BodyAnalyser } from "./body-analyser.ts";
import {
  codesOf,
  noLargeTexts,
  type ApartBodies,
  type BodyPlaces,
  type BodyRequest,
  type EmailBodies,
} from "./email-bodies.ts";
import type { SummaryPage } from "../../../store/store.ts";

/** Stored attachment; its URL depends on the public URL and is added on reading. */
export type StoredAttachment = StoredMessageDetail["attachments"][number];

/** Position of an attachment in the raw mail. */
export interface StoredPart extends PartContent {
  /** Whether it is shown within the text. */
  readonly isInline: boolean;
}

/** Stored message; null for bodies that are read from the raw mail. */
export type StoredMessageDetail = ValueOf<typeof storedMessageSchema>;

/**
 * Stored detail of a message. `parts[n]` locates `message.attachments[n]`. `htmlParts` and `textParts` locate
 * bodies that are read from the raw mail: small ones, whose analysis is cheap, and large ones, of
 * which links, codes and images are stored with `body` null.
 */
export interface StoredDetail extends BodyPlaces {
  readonly message: StoredMessageDetail;
  readonly parts: readonly StoredPart[];
  readonly session: SmtpSession | null;
  /** Provider whose webhook delivered the SMS; absent for other messages. */
  readonly via?: string;
  /** Services like this one that the message has passed by requests; absent for none. */
  readonly hops?: number;
  /** UUID under which the mail was scheduled; absent for other messages. */
  readonly submittedAs?: MessageId;
  /** Encoded transcript of the session or the request that delivered the message, see `core/transcript.ts`; absent without one. */
  readonly transcript?: string;
  /** Attachments of an SMS in base64, in their order, instead of {@link parts}; absent for other messages. */
  readonly media?: readonly string[];
}

/** Excerpt of a message, which list rows show beside the summary. */
export interface StoredExcerpt {
  /** Distinct one-time codes in order of appearance, HTML before text; null when the bodies are not analysed yet. */
  readonly codes: readonly string[] | null;
  /** Size of the raw mail in bytes; 0 for SMS. */
  readonly sizeBytes: number;
  /** Number of attachments that are shown within the text. */
  readonly inline: number;
  /** See {@link fileNamesOf}. */
  readonly files: readonly string[];
  /** See {@link providerTagsOf}. */
  readonly tags: readonly string[];
}

/** Most file names in an excerpt, and the most characters of each. */
const excerptFiles = { countMax: 10, charactersMax: 200 };
/** Most tags of a provider in an excerpt, and the most characters of each. */
const excerptTags = { countMax: 10, charactersMax: 200 };

const beforeExcerpt = '{"glance":';
/** End of the excerpt; it cannot occur inside a JSON string, where quotation marks are escaped. */
const afterExcerpt = ',"message":';

/** Encodes the detail for the store, with the excerpt first. */
export function encodeDetail(detail: StoredDetail, sizeBytes: number): Uint8Array {
  // Stored as `glance`.
  const excerpt: StoredExcerpt = {
    codes: storedCodesOf(detail.message),
    sizeBytes,
    inline: inlineCountOf(detail),
    files: fileNamesOf(detail),
    tags: providerTagsOf(detail),
  };
  const hops = detail.hops ?? currentHops();
  return Buffer.from(JSON.stringify({ glance: excerpt, ...detail, ...(hops > 0 && { hops }) }), "utf8");
}

/** Returns the distinct codes of the stored analysis, HTML before text; null when the bodies are analysed on reading. */
export function storedCodesOf({ html, text }: Pick<StoredMessageDetail, "html" | "text">): readonly string[] | null {
  return html === null || text === null ? null : codesOf({ html, text });
}

/** Returns the number of attachments that are shown within the text. */
export function inlineCountOf({ parts }: Pick<StoredDetail, "parts">): number {
  return parts.filter(({ isInline }) => isInline).length;
}

/** Returns the names of the first attachments. */
function fileNamesOf({ message }: Pick<StoredDetail, "message">): readonly string[] {
  const { countMax, charactersMax } = excerptFiles;
  return message.attachments.slice(0, countMax).map(({ fileName }) => fileName.slice(0, charactersMax));
}

/** Returns the first distinct tags that the sender gave the message in the API of a provider, such as SendGrid's categories. */
function providerTagsOf({ message }: Pick<StoredDetail, "message">): readonly string[] {
  const { countMax, charactersMax } = excerptTags;
  const tags = new Set(message.provider?.tags.filter((tag) => tag !== "" && tag.length <= charactersMax));
  return [...tags].slice(0, countMax);
}

/** Decodes only the excerpt of a detail of {@link encodeDetail}. */
export function decodeExcerpt(bytes: Uint8Array): StoredExcerpt {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return JSON.parse(buffer.toString("utf8", beforeExcerpt.length, buffer.indexOf(afterExcerpt))) as StoredExcerpt;
}

/** Decodes a detail of {@link encodeDetail}. */
export function decodeDetail(bytes: Uint8Array): StoredDetail {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as StoredDetail;
}

/** Returns whether reading the bodies requires the raw mail. */
export function needsRaw(detail: StoredDetail): boolean {
  return detail.htmlParts.length > 0 || detail.textParts.length > 0;
}

/** Analyser of bodies, and the caller. */
export interface BodyReading {
  readonly bodies: Pick<BodyAnalyser, "read" | "readApart">;
  readonly caller: WorkerCaller;
}

/** Returns the complete bodies; `raw` may be empty unless {@link needsRaw}. Rejects as the analyser does. */
export async function showBodies(
  detail: StoredDetail,
  raw: Uint8Array,
  { bodies, caller }: Omit<BodyReading, "bodies"> & { readonly bodies: Pick<BodyAnalyser, "read"> },
): Promise<EmailBodies> {
  const request = requestOf(detail, raw);
  return request.known !== null && !needsRaw(detail) ? request.known : bodies.read(request, caller);
}

/** As {@link showBodies}, with large texts as separate UTF-8 buffers. */
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

/** Returns the message as the API shows it, with the bodies of {@link showBodies}; `publicUrl` has no trailing slash. */
export function showMessage(detail: StoredDetail, bodies: EmailBodies, publicUrl: string): Message {
  const attachments = detail.message.attachments.map((one) => {
    return { ...one, url: `${publicUrl}/api/files/attachments/${one.id}` };
  });
  const { provider = null } = detail.message;
  return { ...detail.message, ...bodies, attachments, provider };
}

/** Parses the summaries of a page. */
export function summariesOf({ json }: Pick<SummaryPage, "json">): readonly Summary[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
}
