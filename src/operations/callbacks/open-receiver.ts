/** Rendering of callbacks: from the content of a delivery, its target and its message to the request of one attempt. */
import type { NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import {
  type CallbackReceiver,
  type OpenReceiver,
  type RenderedCallback,
  decodeDeliveryContent,
  type InboundContent,
  type RequestDefect,
} from "../../egress/callbacks/delivery-content.ts";
import { requestFailure } from "../../egress/delivery-failure.ts";
import { smsReceiver } from "../../egress/sms/deliver-sms.ts";
import type {
  CallbackRequest,
  CallbackSecrets,
  CallbackSigning,
  MailEvent,
  SmsEvent,
} from "../../providers/callbacks.ts";
import type { CallbackTarget, StoredDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { openNumberSecrets } from "../services/security/stored-secrets.ts";
import { type CallbackFormat, findEventWebhooks, findInboundShape } from "./callback-formats.ts";
import { newWebhookSecret, signWebhook } from "../../core/standard-webhooks.ts";
import { subscriptionsOf, targetOfToken } from "./shaped-target.ts";
import { contentOf, openDelivery, refuse, rendered, secretsOf } from "./rendered-callback.ts";
import { mailboxReceiver } from "./mailbox-targets.ts";
import { settingsOf, type TargetSecrets } from "./target-settings.ts";
import { ByteReservations } from "../../core/byte-budget.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { type CallbackMessage, readCallbackMessage } from "./event-mail.ts";
import type { InboundFacts } from "../services/inspection/render-inbound.ts";

/** Age of the timestamp of the defect `stale_timestamp`: twice what verifying libraries tolerate. */
const staleMs = 600_000;
const nilUuid = "00000000-0000-0000-0000-000000000000";

type RenderingContext = Context & { readonly renderMail: MailRenderer };

/** Returns the function that opens receivers of deliveries. */
export function createOpenReceiver(dependencies: Context): OpenReceiver {
  const context = { ...dependencies, renderMail: createMailRenderer(dependencies) };
  return async (delivery) => {
    const content = contentOf(delivery);
    if (content.kind === "sms" || content.kind === "status") {
      const openSecrets = (number: OwnedNumber): NumberSecrets | undefined =>
        openNumberSecrets(context.secrets, number);
      return smsReceiver({ store: context.store, openSecrets }, content);
    }
    if (content.kind === "confirmation") {
      const target = await context.store.callbacks.getTarget(targetOfToken(content.token));
      return shapedReceiver(context, target ?? refuse("The target was removed"));
    }
    if (delivery.target === null && content.kind === "inbound") return directReceiver(context, content);
    const target = delivery.target === null ? undefined : await context.store.callbacks.getTarget(delivery.target);
    if (target === undefined) return refuse("The target was removed");
    if (target.kind === "mailbox") return mailboxReceiver(context, target);
    return target.kind === "webhook" ? webhookReceiver(context, target) : shapedReceiver(context, target);
  };
}

/** Returns the receiver of a webhook. */
function webhookReceiver(context: Context, target: CallbackTarget): CallbackReceiver {
  const { url } = settingsOf("webhook", target);
  const secrets = secretsOf(context, target);
  return {
    batchCountMax: 1,
    render: async ([first], now) => {
      const { content, delivery } = openDelivery(first);
      if (content.kind !== "webhook") return refuse("The content does not fit its target");
      const { timestamp, data, id, defect } = content;
      const body = Buffer.from(JSON.stringify({ type: delivery.type, timestamp, data }), "utf8");
      const signedAt = Math.floor((now - (defect === "stale_timestamp" ? staleMs : 0)) / 1000);
      const signing = defect === "wrong_signature" ? [newWebhookSecret()] : signingSecrets(secrets, now);
      const headers = signWebhook({ id, timestamp: signedAt, body }, signing);
      return rendered(url, { headers, contentType: "application/json", body }, { defect });
    },
  };
}

/** Returns the secrets that sign now: the current one, and a replaced one for its last hours. */
function signingSecrets({ current, previous }: TargetSecrets, now: number): readonly string[] {
  const replaced = previous !== null && now < previous.until ? [previous.secrets] : [];
  return [current, ...replaced].flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
}

/** Returns the receiver of an event webhook or an inbound route. */
async function shapedReceiver(context: RenderingContext, target: CallbackTarget): Promise<CallbackReceiver> {
  const secrets = secretsOf(context, target).current;
  const { url, options } = settingsOf(target.kind === "inbound" ? "inbound" : "events", target);
  const signingAt = (now: number): CallbackSigning =>
    signingOf(context, { url, options, secrets, now, target: target.id });
  return target.kind === "inbound"
    ? inboundReceiver(context, target.shape, signingAt)
    : eventReceiver(context, target.shape, signingAt);
}

async function eventReceiver(
  context: Context,
  provider: string,
  signingAt: (now: number) => CallbackSigning,
): Promise<CallbackReceiver> {
  const format = (await findEventWebhooks(provider)) ?? refuse(`No provider ${provider} has event webhooks`);
  return {
    batchCountMax: format.batchCountMax,
    render: async (deliveries, now) => {
      const { content } = openDelivery(deliveries[0]);
      if (content.kind === "confirmation")
        return renderConfirmation(context, format, { ...content, ...signingAt(now) });
      if (content.kind !== "event") return refuse("The content does not fit its target");
      const { defect, event } = content;
      const signing = signingAt(timeOf(defect, now));
      if (isOfSms(event)) {
        const own = format.sms?.render(event, signing) ?? refuse("The provider has no events about SMS");
        return rendered(signing.url, own, { defect });
      }
      const events = defect === null ? batchOf(deliveries) : [event];
      const request = format.render(events, signing);
      const sent = defect === "wrong_signature" ? format.forge(request) : request;
      return rendered(signing.url, sent, { defect, deliveryCount: events.length });
    },
  };
}

function renderConfirmation(
  context: Context,
  { confirmation, isConfirmedBy }: Pick<CallbackFormat, "confirmation" | "isConfirmedBy">,
  { token, ...signing }: CallbackSigning & { readonly token: string },
): RenderedCallback {
  const request = confirmation?.(token, signing) ?? refuse("No confirmation is needed");
  const callback = rendered(signing.url, request, { defect: null });
  if (isConfirmedBy === undefined) return callback;
  const onResponse: RenderedCallback["onResponse"] = async (answer) => {
    if (isConfirmedBy(answer, token)) await subscriptionsOf(context).confirm(token);
  };
  return { ...callback, onResponse };
}

function isOfSms(event: MailEvent | SmsEvent): event is SmsEvent {
  return "sms" in event;
}

/** Returns the events of the first deliveries that may share a request. */
function batchOf(deliveries: readonly StoredDelivery[]): readonly MailEvent[] {
  const events: MailEvent[] = [];
  for (const delivery of deliveries) {
    const content = delivery.content === null ? null : decodeDeliveryContent(delivery.content);
    if (content?.kind !== "event" || content.defect !== null || isOfSms(content.event)) break;
    events.push(content.event);
  }
  return events;
}

async function inboundReceiver(
  context: RenderingContext,
  shapeName: string,
  signingAt: (now: number) => CallbackSigning,
): Promise<CallbackReceiver> {
  const shape = (await findInboundShape(shapeName)) ?? refuse(`There is no format ${shapeName}`);
  return {
    batchCountMax: 1,
    render: async ([first], now) => {
      const { content } = openDelivery(first);
      if (content.kind === "confirmation") return renderConfirmation(context, shape, { ...content, ...signingAt(now) });
      if (content.kind !== "inbound") return refuse("The content does not fit its target");
      const signing = signingAt(timeOf(content.defect, now));
      const { request, release } = await context.renderMail(content, { shape: shapeName, signing });
      return { ...rendered(signing.url, request, { defect: content.defect }), release };
    },
  };
}

/** Returns the receiver that a request named instead of a target. */
async function directReceiver(
  context: RenderingContext,
  { receiver, message }: InboundContent,
): Promise<CallbackReceiver> {
  if (receiver === undefined) return refuse("The target was removed");
  const { shape, url, options, sealedSecrets } = receiver;
  const json = context.secrets.open(Buffer.from(sealedSecrets, "base64"), message);
  if (json === undefined) return refuse("The secrets were sealed with another secret key");
  const secrets = JSON.parse(json) as CallbackSecrets;
  return inboundReceiver(context, shape, (now) => signingOf(context, { url, options, secrets, now, target: nilUuid }));
}

function signingOf({ settings }: Context, signing: Omit<CallbackSigning, "serviceUrl">): CallbackSigning {
  return { ...signing, serviceUrl: settings.publicUrl() };
}

function timeOf(defect: RequestDefect | null, now: number): number {
  return defect === "stale_timestamp" ? now - staleMs : now;
}

/** Rendered mail. */
export interface RenderedMail {
  readonly request: CallbackRequest;
  /** Releases the memory of the request. */
  readonly release: () => void;
}

/** Renders the request that hands over a mail; rejects with `DeliveryFailure` when it was deleted or memory is short. */
export type MailRenderer = (
  content: InboundContent,
  format: { readonly shape: string; readonly signing: CallbackSigning },
) => Promise<RenderedMail>;

/** Smaller mails are not counted; the number of requests under way is limited. */
const smallBytesMax = 64 * 1024;
/** Memory per raw byte: the raw mail, its decoded parts and the body, which may hold them in Base64 twice. */
const costPerRawByte = 4;
/** Mails of one receiver that wait for memory. */
const waitingPerKeyCountMax = 32;
const waitMsMax = 10_000;

/**
 * Creates the renderer. Large mails are rendered in another process, and hold memory until their request has ended: as much as
 * large responses may (`answerBytesInFlightMax`), half of it for one receiver.
 */
export function createMailRenderer(context: Context): MailRenderer {
  const bytesMax = context.limits.answerBytesInFlightMax;
  const limits = { bytesMax, bytesPerKeyMax: bytesMax / 2, waitingPerKeyCountMax };
  const memory = new ByteReservations(limits, context.clock);
  return async (content, { shape, signing }) => {
    const message = await readCallbackMessage(context, content.message);
    if (message === undefined) return refuse("The message was deleted");
    const bytes = message.sizeBytes <= smallBytesMax ? 0 : costPerRawByte * message.sizeBytes;
    const reservation = await memory.reserve({ key: signing.url, bytes, waitMsMax }).catch((error: unknown) => {
      throw requestFailure("Memory for large mails is in use", false, error);
    });
    const isForged = content.defect === "wrong_signature";
    const job = { facts: factsOf(message, content.recipient), shape, options: signing.options, signing, isForged };
    const inspection = { kind: "inbound", job } as const;
    try {
      const stored = { id: message.id, sizeBytes: message.sizeBytes, inspection };
      const key = `callbacks:${decodeMessageId(message.id).server}`;
      const request = await inspectStored(context, stored, { key });
      return {
        request,
        release: () => {
          reservation.release();
        },
      };
    } catch (error) {
      reservation.release();
      if (error instanceof Problem && error.code === "not_found") return refuse("The message was deleted");
      throw error;
    }
  };
}

function factsOf({ id, detail }: CallbackMessage, recipient: string): InboundFacts {
  const { metadata } = detail.message;
  return {
    id,
    receivedAt: decodeMessageId(id).receivedAt,
    recipient,
    envelope: { from: metadata.mailFrom ?? "", to: metadata.rcptTo.flatMap(({ email }) => email ?? []) },
    clientIp: detail.session?.clientAddress ?? "127.0.0.1",
  };
}
