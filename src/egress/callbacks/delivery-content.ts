/** Contents of deliveries, what each attempt renders its request from; and the interface between the worker and the rendering. */
import type { MessageId, ServerId } from "../../core/ids.ts";
import { currentHops } from "../../core/request-hops.ts";
import type { CallbackAnswer, MailEvent, CallbackRequest, SmsEvent } from "../../providers/callbacks.ts";
import type { MailboxNotification } from "../../providers/mailbox-subscriptions.ts";
import type { WebhookRequest } from "../../providers/sms.ts";
import type { StoredDelivery } from "../../store/callback-store.ts";

/**
 * Deliberate defect of a request, with which an application tests that it refuses or survives it: a valid signature with an
 * old timestamp, a wrong signature, or a connection that closes in the middle of the body.
 */
export type RequestDefect = "stale_timestamp" | "wrong_signature" | "cut_off";

/** Event of this service's own webhooks. */
export interface WebhookContent {
  readonly kind: "webhook";
  /** ISO 8601 in UTC with milliseconds. */
  readonly timestamp: string;
  /** JSON value of the member `data`. */
  readonly data: unknown;
  /** Value of `webhook-id`, shared by duplicates. */
  readonly id: string;
  readonly defect: RequestDefect | null;
}

/** Event of a provider. */
interface EventContent {
  readonly kind: "event";
  readonly event: MailEvent | SmsEvent;
  readonly defect: RequestDefect | null;
}

/** Message that is handed to the application. The message is read at each attempt. */
export interface InboundContent {
  readonly kind: "inbound";
  readonly message: MessageId;
  readonly recipient: string;
  readonly defect: RequestDefect | null;
  /** Receiver of a delivery without a target; absent with one. */
  readonly receiver?: DirectReceiver;
}

/** Receiver that a request named instead of a target. */
export interface DirectReceiver {
  /** Name of the shape. */
  readonly shape: string;
  readonly url: string;
  /** Settings that are not secret. */
  readonly options: Readonly<Record<string, string>>;
  /** Sealed JSON of the secrets in Base64, bound to the id of the message. */
  readonly sealedSecrets: string;
}

/** Notification about a mailbox. */
export interface MailboxContent {
  readonly kind: "mailbox";
  readonly notification: MailboxNotification;
}

/** Request that asks a receiver to confirm. */
interface ConfirmationContent {
  readonly kind: "confirmation";
  readonly token: string;
}

/**
 * SMS sent by a test: to the application's inbound webhook (`inbound`), or to a phone through the API of the number's
 * provider (`provider`). Uses the settings of the number at the time of the attempt.
 */
export interface SmsReply {
  readonly kind: "inbound" | "provider";
  /** Number of the server that sends the SMS, E.164. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** UUID of the sent message. */
  readonly id: string;
  readonly server: ServerId;
}

/** SMS that is delivered to the inbound webhook of a number. */
export interface SmsContent {
  readonly kind: "sms";
  readonly reply: SmsReply;
}

/** Status report of an SMS. */
export interface StatusContent {
  readonly kind: "status";
  readonly url: string;
  readonly call: WebhookRequest;
}

/** Content of a delivery. */
export type DeliveryContent =
  | WebhookContent
  | EventContent
  | InboundContent
  | MailboxContent
  | ConfirmationContent
  | SmsContent
  | StatusContent;

/** Encodes a content for the store, with the number of services that its message has passed. */
export function encodeDeliveryContent(content: DeliveryContent): Uint8Array {
  const hops = currentHops();
  return Buffer.from(JSON.stringify({ ...content, ...(hops > 0 && { hops }) }), "utf8");
}

/** Returns the number of services that the message of an encoded content has passed. */
export function hopsOfContent(bytes: Uint8Array | null): number {
  // Written last, so that most contents are not decoded for it.
  const end = bytes === null ? "" : Buffer.from(bytes.subarray(-24)).toString("latin1");
  return Number(/,"hops":(\d{1,6})\}$/.exec(end)?.[1] ?? 0);
}

/** Decodes the result of {@link encodeDeliveryContent}. */
export function decodeDeliveryContent(bytes: Uint8Array): DeliveryContent {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as DeliveryContent;
}

/** Returns the kind of an encoded content without decoding it; "erased" when it was erased. */
export function contentKind(bytes: Uint8Array | null): DeliveryContent["kind"] | "erased" {
  if (bytes === null) return "erased";
  const [, kind] = /^\{"kind":"(\w+)"/.exec(Buffer.from(bytes.subarray(0, 40)).toString("latin1")) ?? [];
  return kind === undefined ? decodeDeliveryContent(bytes).kind : (kind as DeliveryContent["kind"]);
}

/** Request that is ready to be sent. */
export interface RenderedCallback {
  readonly url: string;
  readonly request: CallbackRequest;
  /** Services like this one that its message has passed; 0 by default. */
  readonly hops?: number;
  /** Number of deliveries that it carries: the first ones of those that were given, at least one. */
  readonly deliveryCount: number;
  /** Whether the connection is closed in the middle of the body (`RequestDefect`); the attempt then fails. */
  readonly isCutOff?: boolean;
  /** Whether a response 4yz other than 408 and 429 fails the delivery without another attempt, as for SMS. */
  readonly failsOnClientError?: boolean;
  /**
   * Called with a successful response and at most 64 KiB of its body, before the outcome is recorded. A rejection fails the
   * attempt.
   */
  readonly onResponse?: (answer: CallbackAnswer) => Promise<void>;
  /** Releases memory that was reserved for the body. Called once, when the request has ended. */
  readonly release?: () => void;
}

/** Receiver of the deliveries of one queue, opened for the attempts of the next moments. */
export interface CallbackReceiver {
  /** Deliveries that one request may carry: 1 unless the provider sends events in batches. */
  readonly batchCountMax: number;
  /**
   * Renders one request for the first of the deliveries, of which there are 1 to `batchCountMax`, in order. A delivery that
   * cannot share a request (a defect, a confirmation) is rendered alone; the others are given again. `now` is the instant of
   * the attempt. Rejects with `DeliveryFailure`, which is the outcome of the first delivery only.
   */
  readonly render: (deliveries: readonly StoredDelivery[], now: number) => Promise<RenderedCallback>;
}

/**
 * Returns the receiver of a delivery and of all others in its queue that have the same target: reads the target, its
 * settings and secrets. Rejects with `DeliveryFailure`, which is the outcome of the delivery: final when `isLocalRefusal`.
 */
export type OpenReceiver = (delivery: StoredDelivery) => Promise<CallbackReceiver>;
