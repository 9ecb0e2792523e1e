import { analyseText } from "../../../analysis/analyse-text.ts";
import { summarise } from "../../../analysis/summarise.ts";
import { foldAddress, foldText } from "../../../core/fold.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { Contact, ProviderOrigin, Summary } from "../../../core/message.ts";
import { SearchBody } from "../../../core/search/search-body.ts";
import { countSegments } from "../../../core/sms.ts";
import type { NewMessage } from "../../../store/store.ts";
import { lateFacts, type ReceivedMail } from "./email-record.ts";
import { searchFieldsOf } from "./search-fields.ts";
import { labelKeys } from "./label-keys.ts";
import { encodeDetail, type StoredDetail } from "./stored-detail.ts";

/** Content of an SMS. */
export interface SmsContent {
  /** Number in E.164, short code or alphanumeric sender. */
  readonly from: string;
  /** E.164. */
  readonly to: string;
  readonly text: string;
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
  { from, to, text, via = null, provider = null, submittedAs, transcript, ...late }: SmsContent & SmsSource,
): NewMessage {
  const { server, receivedAt } = decodeMessageId(id);
  const received = new Date(receivedAt).toISOString();
  const people = { from: [contactOf(from)], to: [contactOf(to)], cc: [], bcc: [] };
  const shared = { id, type: "SMS", server, subject: "", ...people, received } as const;
  const analysis = analyseText(text);
  const summary: Summary = { ...shared, summary: summarise(text), attachments: 0 };
  const detail: StoredDetail = {
    message: {
      id,
      type: "SMS",
      ...people,
      received,
      subject: "",
      html: { links: [], codes: [], images: [], body: null },
      text: { ...analysis, body: text },
      attachments: [],
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
  };
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
      fields: searchFieldsOf({ ...people, headers: [], attachments: [], codes, provider }),
    },
  };
}

function contactOf(phone: string): Contact {
  return { name: "", email: null, phone };
}
