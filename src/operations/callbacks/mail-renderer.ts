/** Rendering of mail that is handed over, within a budget of memory. */
import { ByteReservations } from "../../core/byte-reservations.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { InboundContent } from "../../egress/callbacks/delivery-content.ts";
import { DeliveryFailure } from "../../egress/delivery-failure.ts";
import type { CallbackRequest, CallbackSigning } from "../../providers/callbacks.ts";
import type { Context } from "../context.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { type CallbackMessage, readCallbackMessage } from "./event-mail.ts";
import type { InboundFacts } from "../services/inspection/render-inbound.ts";

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
    if (message === undefined) throw deleted();
    const bytes = message.sizeBytes <= smallBytesMax ? 0 : costPerRawByte * message.sizeBytes;
    const reservation = await memory.reserve({ key: signing.url, bytes, waitMsMax }).catch((error: unknown) => {
      throw new DeliveryFailure("Memory for large mails is in use", later, error);
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
      throw error instanceof Problem && error.code === "not_found" ? deleted() : error;
    }
  };
}

const later = { stage: "connect", replyCode: null, isLocalRefusal: false } as const;

function deleted(): DeliveryFailure {
  return new DeliveryFailure("The message was deleted", { stage: "unknown", replyCode: null, isLocalRefusal: true });
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
