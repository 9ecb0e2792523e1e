/** Samples that the conformance suite for callbacks needs of a provider, and the events and mail that it renders. */
import type {
  CallbackRequest,
  CallbackSecrets,
  CallbackSigning,
  EventMail,
  InboundMail,
  MailEvent,
  MailEventType,
  NewSecrets,
} from "../callbacks.ts";
import type { FieldTypes } from "./field-types.test-aid.ts";

/** State of a receiver that verifies a request. */
export interface ReceiverState {
  /** URL to which the request is sent. */
  readonly url: string;
  /** Result of `createSecrets`: the public key, the secret that was shown. */
  readonly created: NewSecrets;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Verification and reading of the requests of one provider or inbound shape. */
export interface CallbackSamples {
  /** Secret settings that a user gives; {} where all are made. */
  readonly given: CallbackSecrets;
  /** Options with which {@link verify} accepts requests; the defaults without. */
  readonly options?: CallbackSecrets;
  /**
   * Returns whether a receiver accepts the request: by the provider's own library where it has one, else written from the
   * provider's documentation without code of this service.
   */
  readonly verify: (request: CallbackRequest, state: ReceiverState) => boolean | Promise<boolean>;
  /**
   * Requests that a receiver must refuse, by the name of what was changed: the signature, the timestamp, the token, or the
   * credentials.
   */
  readonly altered: (request: CallbackRequest) => Readonly<Record<string, CallbackRequest>>;
  /** Whether the signature covers the whole body, so that a change of any byte is refused. */
  readonly signsBody: boolean;
}

/** Samples of a provider's event webhook: `eventSamples` in `<name>/callbacks.test-aid.ts`. */
export interface EventSamples extends CallbackSamples {
  /** Returns the events of a request, in order. */
  readonly read: (request: CallbackRequest) => readonly ReceivedEvent[];
  /** Names and JSON types of the members of an event, for each type; tables of our own. */
  readonly fields: Readonly<Partial<Record<MailEventType, FieldTypes>>>;
  /** Whether events show the tags of the mail. */
  readonly showsTags: boolean;
  /** Whether events show the metadata of the mail. */
  readonly showsMetadata: boolean;
}

/** Event as a receiver reads it. */
export interface ReceivedEvent {
  /** Whole event, for the comparison with {@link EventSamples.fields}. */
  readonly members: unknown;
  /** Names of members that stand for the mail's metadata; they are not compared. */
  readonly extraNames?: readonly string[];
  /** Type in the words of the provider. */
  readonly type: string;
  readonly recipient: string;
  /** Id in which the mail's id in the provider's API occurs. */
  readonly mailId: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Samples of an inbound shape: `inboundSamples` in `<name>/callbacks.test-aid.ts`, or in `inbound/<name>.test-aid.ts`. */
export interface InboundSamples extends CallbackSamples {
  /** Sets of options with which the shape has other fields; the first is the default. */
  readonly variants: readonly InboundVariant[];
}

/** Options of an inbound shape, and what it then sends. */
export interface InboundVariant {
  readonly title: string;
  readonly options: CallbackSecrets;
  /** Path and query of the URL; `/inbound` by default. */
  readonly path?: string;
  readonly read: (request: CallbackRequest) => ReceivedMail | Promise<ReceivedMail>;
  readonly fields: FieldTypes;
}

/** Mail as a receiver reads it; undefined for what the shape does not show. */
export interface ReceivedMail {
  /** All fields, for the comparison with {@link InboundVariant.fields}. */
  readonly members: unknown;
  readonly extraNames?: readonly string[];
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly strippedText?: string;
  readonly recipient?: string;
  readonly raw?: Uint8Array;
  readonly attachments?: readonly { readonly fileName: string; readonly content: Uint8Array }[];
}

/** Instant of the samples. */
export const sampleInstant: number = Date.UTC(2026, 10, 20, 10, 42, 7, 975);

/** Returns what signing needs, for the URL `https://app.example/hook`. */
export function sampleSigning(secrets: CallbackSecrets, changes: Partial<CallbackSigning> = {}): CallbackSigning {
  return {
    url: "https://app.example/hook",
    target: "7d1c7b1e-3c55-4b7a-9a61-0f3a2c9d8e10",
    options: {},
    secrets,
    now: sampleInstant,
    serviceUrl: "http://127.0.0.1:8025",
    ...changes,
  };
}

const created = new WeakMap<object, Promise<NewSecrets>>();

/** Returns secrets that are created once, because creating keys takes long. */
export async function secretsOf(
  subject: { readonly createSecrets: (given: CallbackSecrets) => NewSecrets | Promise<NewSecrets> },
  given: CallbackSecrets,
): Promise<NewSecrets> {
  const present = created.get(subject) ?? Promise.resolve(subject.createSecrets(given));
  created.set(subject, present);
  return present;
}

/** Returns a mail of an event; its provider id is `providerId`. */
export function sampleEventMail(changes: Partial<EventMail> = {}): EventMail {
  return {
    id: "0199aabb-ccdd-7eee-8fff-001122334455",
    providerId: "0199aabb-ccdd-7eee-8fff-001122334455",
    messageId: "0199aabbccdd7eee8fff001122334455@app.example",
    from: "app@shop.example",
    to: ["ada@abcd1234.restante.test"],
    cc: ["grace@abcd1234.restante.test"],
    subject: "Your order",
    headers: [{ field: "X-Order", value: "1001" }],
    isHeadersCut: false,
    sizeBytes: 2048,
    sentAt: sampleInstant - 2000,
    facts: { tags: ["receipt"], metadata: { order: "1001", region: "eu" }, template: null },
    server: "abcd1234",
    ...changes,
  };
}

/** Returns an event of a type. */
export function sampleEvent(type: MailEventType, changes: Partial<MailEvent> = {}): MailEvent {
  return {
    id: "3c0f2b9e-52a1-4a8f-9d65-7b1f0c1d2e3f",
    type,
    at: sampleInstant - 1000,
    recipient: "ada@abcd1234.restante.test",
    mail: sampleEventMail(),
    details: {},
    ...changes,
  };
}

const rawMail = [
  "From: Ada Lovelace <ada@abcd1234.restante.test>",
  'To: "Support" <support+order1@app.example>, team@app.example',
  "Cc: grace@app.example",
  "Reply-To: ada.reply@abcd1234.restante.test",
  "Subject: =?utf-8?q?Re=3A_Order_=E2=82=AC_1001?=",
  "Date: Fri, 20 Nov 2026 10:42:05 +0000",
  "Message-ID: <reply-1@abcd1234.restante.test>",
  "X-Trace: one",
  "X-Trace: two",
  "MIME-Version: 1.0",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: 8bit",
  "",
  "Thank you – it arrived.",
  "",
].join("\r\n");

/** Returns a mail that is handed to an application. */
export function sampleInboundMail(changes: Partial<InboundMail> = {}): InboundMail {
  return {
    id: "0199aabb-ccdd-7eee-8fff-001122334455",
    receivedAt: sampleInstant - 1000,
    envelope: { from: "bounces@abcd1234.restante.test", to: ["support+order1@app.example"] },
    recipient: "support+order1@app.example",
    raw: Buffer.from(rawMail, "utf8"),
    from: [{ name: "Ada Lovelace", address: "ada@abcd1234.restante.test" }],
    to: [
      { name: "Support", address: "support+order1@app.example" },
      { name: "", address: "team@app.example" },
    ],
    cc: [{ name: "", address: "grace@app.example" }],
    bcc: [],
    replyTo: "ada.reply@abcd1234.restante.test",
    subject: "Re: Order € 1001",
    date: "Fri, 20 Nov 2026 10:42:05 +0000",
    messageId: "<reply-1@abcd1234.restante.test>",
    text: "Thank you – it arrived.\n\nOn Friday, Shop wrote:\n> Your order is on its way.\n",
    html: "<p>Thank you – it arrived.</p><blockquote>Your order is on its way.</blockquote>",
    strippedText: "Thank you – it arrived.",
    strippedSignature: "",
    strippedHtml: "<p>Thank you – it arrived.</p>",
    headers: [
      ["From", "Ada Lovelace <ada@abcd1234.restante.test>"],
      ["To", '"Support" <support+order1@app.example>, team@app.example'],
      ["Cc", "grace@app.example"],
      ["Reply-To", "ada.reply@abcd1234.restante.test"],
      ["Subject", "Re: Order € 1001"],
      ["Date", "Fri, 20 Nov 2026 10:42:05 +0000"],
      ["Message-ID", "<reply-1@abcd1234.restante.test>"],
      ["X-Trace", "one"],
      ["X-Trace", "two"],
      ["MIME-Version", "1.0"],
      ["Content-Type", "text/plain; charset=utf-8"],
    ],
    rawHeaders: `${rawMail.slice(0, rawMail.indexOf("\r\n\r\n"))}\r\n`,
    attachments: [
      attachment("invoice.pdf", "application/pdf", null),
      attachment("logo.png", "image/png", "logo@abcd1234"),
    ],
    spam: { score: 1.7, report: "BODY: Sample report" },
    verdicts: { spf: "pass", dkim: "none", dmarc: "none" },
    clientIp: "192.0.2.7",
    ...changes,
  };
}

function attachment(
  fileName: string,
  contentType: string,
  contentId: string | null,
): InboundMail["attachments"][number] {
  // Every byte occurs, and line ends and dashes that could end a part of a form.
  const content = Buffer.concat([Uint8Array.from({ length: 256 }, (_none, at) => at), Buffer.from("\r\n--x--\r\n")]);
  return { fileName, contentType, contentId, isInline: contentId !== null, content };
}
