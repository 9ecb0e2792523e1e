import { analyseText } from "../../../analysis/analysed-text.ts";
import { summarise } from "../../../analysis/summarise.ts";
import { foldAddress, foldText } from "../../../core/fold.ts";
import { type AttachmentId, attachmentIdAt, decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { Contact, ProviderOrigin, Summary } from "../../../core/message.ts";
import { SearchBody } from "../../../core/search/search-fields.ts";
import { countSegments } from "../../../core/sms.ts";
import type { NewMessage } from "../../../store/store.ts";
import { lateFacts, type ReceivedMail } from "./email-record.ts";
import { labelKeys, searchFieldsOf } from "./search-fields.ts";
import { encodeDetail, type StoredAttachment, type StoredDetail } from "./stored-detail.ts";

/** Content of an SMS. */
export interface SmsContent {
  /** Number in E.164, short code or alphanumeric sender. */
  readonly from: string;
  /** E.164. */
  readonly to: string;
  readonly text: string;
  /** Media that was fetched, in order; none by default. */
  readonly media?: readonly FetchedMedia[];
}

/** Content of media of an SMS. */
export interface FetchedMedia {
  readonly contentType: string;
  readonly fileName: string;
  /** Content in base64, so that it is stored in the detail: an SMS has no raw bytes. */
  readonly base64: string;
}

/** Source of an SMS. */
export interface SmsSource extends Pick<ReceivedMail, "acceptedAt" | "faults" | "transcript"> {
  /** Provider whose webhook delivered it; null for other SMS. */
  readonly via?: string | null;
  /** Facts of the provider's API that it was submitted through; null for other SMS. */
  readonly provider?: ProviderOrigin | null;
  /** UUID under which it was held; absent for an SMS that arrived at once. */
  readonly submittedAs?: MessageId;
}

/** Returns the record of an SMS, which has no raw bytes. */
export function recordSms(
  id: MessageId,
  { from, to, text, media = [], via = null, provider = null, submittedAs, transcript, ...late }: SmsContent & SmsSource,
): NewMessage {
  const { server, receivedAt } = decodeMessageId(id);
  const received = new Date(receivedAt).toISOString();
  const people = { from: [contactOf(from)], to: [contactOf(to)], cc: [], bcc: [] };
  const shared = { id, type: "SMS", server, subject: "", ...people, received } as const;
  const analysis = analyseText(text);
  const summary: Summary = { ...shared, summary: summarise(text), attachments: media.length };
  const attachments = media.map((one, at) => attachmentOf(attachmentIdAt(id, at), one));
  const detail: StoredDetail = {
    message: {
      id,
      type: "SMS",
      ...people,
      received,
      subject: "",
      html: { links: [], codes: [], images: [], body: null },
      text: { ...analysis, body: text },
      attachments,
      metadata: { headers: [], ehlo: null, mailFrom: null, rcptTo: [], ...lateFacts(server, late) },
      server,
      defects: [],
      sms: countSegments(text),
      ...(provider !== null && { provider }),
    },
    htmlParts: [],
    textParts: [],
    parts: [],
    session: null,
    ...(via !== null && { via }),
    ...(submittedAs !== undefined && { submittedAs }),
    ...(transcript !== undefined && { transcript }),
    ...(media.length > 0 && { media: media.map(({ base64 }) => base64) }),
  };
  const shown = attachments.map((one) => ({ ...one, isInline: false }));
  const codes = analysis.codes.map(({ value }) => value);
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify(summary), "utf8"),
    detailJson: encodeDetail(detail, 0),
    raw: new Uint8Array(),
    keys: {
      from: [foldAddress(from)],
      to: [foldAddress(to)],
      subject: "",
      body: new SearchBody([foldText(text)]),
      ...labelKeys(provider, submittedAs),
      fields: searchFieldsOf({ ...people, headers: [], attachments: shown, codes, provider }),
    },
  };
}

function attachmentOf(id: AttachmentId, { contentType, fileName, base64 }: FetchedMedia): StoredAttachment {
  return { id, contentType, fileName, contentId: null, length: Buffer.byteLength(base64, "base64") };
}

function contactOf(phone: string): Contact {
  return { name: "", email: null, phone };
}
