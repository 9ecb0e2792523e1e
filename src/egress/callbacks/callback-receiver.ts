/** Interface between the worker of callbacks, which schedules and sends requests, and the code that renders them. */
import type { CallbackRequest } from "../../providers/callbacks.ts";
import type { StoredDelivery } from "../../store/callback-store.ts";

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
