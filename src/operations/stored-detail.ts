import type { SmtpSession } from "../core/smtp-session.ts";
import type { Attachment, Message } from "../core/message.ts";
import type { SmsProvider } from "../core/owned-number.ts";
import { joinTexts } from "../mime/body-content.ts";
import type { PartContent, PartText } from "../mime/part.ts";

/** An attachment as it is kept: its URL depends on where the service is reached and is added on reading. */
export type StoredAttachment = Omit<Attachment, "url">;

/**
 * What the store keeps as a message's detail. `parts[n]` locates `message.attachments[n]`. Bodies that can be read from
 * the raw mail at little cost are kept there alone: then `message.html.body` and `message.text.body` are null, and
 * `htmlParts` and `textParts` tell where they lie.
 */
export interface StoredDetail {
  readonly message: Omit<Message, "attachments"> & { readonly attachments: readonly StoredAttachment[] };
  readonly htmlParts: readonly PartText[];
  readonly textParts: readonly PartText[];
  readonly parts: readonly PartContent[];
  readonly session: SmtpSession | null;
  /** The provider whose web hook brought a text; absent for all else. */
  readonly via?: SmsProvider;
}

/** What rows of lists show beside the summary. */
export interface StoredGlance {
  /** One-time codes in the order found, HTML before text, none twice. */
  readonly codes: readonly string[];
  /** The mail as received, in bytes; 0 where there are none (SMS). */
  readonly sizeBytes: number;
}

const beforeGlance = '{"glance":';
/** Ends the glance: within a text of JSON no quotation mark stands without a backslash. */
const afterGlance = ',"message":';

/** The detail as the bytes that the store keeps, what a glance tells of it in front. */
export function encodeDetail(detail: StoredDetail, sizeBytes: number): Uint8Array {
  const glance: StoredGlance = { codes: codesOf(detail), sizeBytes };
  return Buffer.from(JSON.stringify({ glance, ...detail }), "utf8");
}

/** The glance out of the bytes that {@link encodeDetail} made, without reading the rest; undefined where it has none. */
export function decodeGlance(bytes: Uint8Array): StoredGlance | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.toString("latin1", 0, beforeGlance.length) !== beforeGlance) return undefined;
  return JSON.parse(buffer.toString("utf8", beforeGlance.length, buffer.indexOf(afterGlance))) as StoredGlance;
}

/** The message's codes in the order found, HTML before text, none twice. */
export function codesOf({ message: { html, text } }: StoredDetail): readonly string[] {
  return [...new Set([...html.codes, ...text.codes].map((code) => code.value))];
}

/** The detail out of the bytes that {@link encodeDetail} made. */
export function decodeDetail(bytes: Uint8Array): StoredDetail {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as StoredDetail;
}

/** Whether showing the message takes its raw bytes. */
export function needsRaw(detail: StoredDetail): boolean {
  return detail.htmlParts.length > 0 || detail.textParts.length > 0;
}

/** The message as callers see it; `raw` may be empty unless {@link needsRaw}, `publicUrl` has no trailing slash. */
export function showMessage(detail: StoredDetail, raw: Uint8Array, publicUrl: string): Message {
  const { attachments, html, text } = detail.message;
  return {
    ...detail.message,
    html: { ...html, body: joinTexts(raw, detail.htmlParts) ?? html.body },
    text: { ...text, body: joinTexts(raw, detail.textParts) ?? text.body },
    attachments: attachments.map((one) => ({ ...one, url: `${publicUrl}/api/files/attachments/${one.id}` })),
  };
}
