import type { Clock } from "../../core/clock.ts";
import { isWorkerDeath } from "../../core/worker.ts";
import type { CallbackRequest } from "../../providers/callbacks.ts";
import type { CallbackAttempt, CallbackOutcome, StoredDelivery } from "../../store/callback-store.ts";
import { DeliveryFailure, requestFailure, toFailure } from "../delivery-failure.ts";
import type { ClaimedDelivery, ReceiverState } from "./delivery-queue.ts";
import { type OpenReceiver, type RenderedCallback, hopsOfContent } from "./delivery-content.ts";
import { nextCallbackAt, type CallbackPauses } from "./callback-schedule.ts";
import type { CallbackResponse } from "./send-callback.ts";

/** Dependencies of {@link attemptCallback}. */
export interface AttemptDependencies {
  readonly clock: Clock;
  readonly openReceiver: OpenReceiver;
  /** Sends a request, as `CallbackClient.send` does. */
  readonly send: (callback: RenderedCallback) => Promise<CallbackResponse>;
  /** First pause of the schedule. */
  readonly firstPauseMs: number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  /** Reports an unexpected error of a renderer; the attempt fails temporarily. */
  readonly onError: (error: unknown) => void;
}

/** Deliveries of one request. */
interface RequestDeliveries {
  readonly first: ClaimedDelivery;
  /** Takes more deliveries for the same request; at most `countMax` with the first. */
  readonly extend: (countMax: number) => readonly ClaimedDelivery[];
  /** Puts deliveries back that were taken and are not carried. */
  readonly putBack: (deliveries: readonly ClaimedDelivery[]) => void;
}

/** Result of a request. */
interface AttemptResult {
  /** Deliveries that it carried. */
  readonly carried: readonly ClaimedDelivery[];
  readonly outcomes: readonly CallbackOutcome[];
  readonly receiver: ReceiverState;
  readonly retryAfterMs: number | null;
}

/** Request that has ended. */
interface Exchange {
  readonly callback: RenderedCallback | null;
  readonly response: CallbackResponse | null;
  /** Null for a success. */
  readonly failure: DeliveryFailure | null;
}

/** Renders and sends one request; never rejects. Unexpected errors are failures that are retried. */
export async function attemptCallback(
  dependencies: AttemptDependencies,
  deliveries: RequestDeliveries,
): Promise<AttemptResult> {
  const { clock } = dependencies;
  const started = { at: clock.now(), monotonicMs: clock.monotonicMs() };
  const { carried, ...exchange } = await exchangeOne(dependencies, deliveries, started.at);
  const durationMs = Math.max(0, Math.round(clock.monotonicMs() - started.monotonicMs));
  const attemptOf = (delivery: StoredDelivery): CallbackAttempt => ({
    number: delivery.attemptCount,
    startedAt: started.at,
    durationMs,
    url: exchange.callback?.url ?? "",
    requestHeaders: exchange.callback === null ? {} : shownHeaders(exchange.callback.request),
    responseStatus: exchange.response?.status ?? null,
    error: exchange.failure?.message ?? null,
  });
  const at = clock.now();
  return {
    carried,
    outcomes: carried.map((one) => outcomeOf(dependencies, one, { exchange, attempt: attemptOf(one.item), at })),
    receiver: stateOf(exchange),
    retryAfterMs: retryAfterOf(exchange),
  };
}

async function exchangeOne(
  { openReceiver, send, onError }: AttemptDependencies,
  { first, extend, putBack }: RequestDeliveries,
  now: number,
): Promise<Exchange & { carried: readonly ClaimedDelivery[] }> {
  let carried: readonly ClaimedDelivery[] = [first];
  let callback: RenderedCallback | null = null;
  try {
    const receiver = await openReceiver(first.item);
    const taken = extend(receiver.batchCountMax);
    // Until it is rendered, a failure concerns the first delivery only.
    callback = await receiver
      .render(
        taken.map(({ item }) => item),
        now,
      )
      .catch((error: unknown) => {
        putBack(taken.slice(1));
        throw error;
      });
    carried = taken.slice(0, Math.max(1, callback.deliveryCount));
    putBack(taken.slice(carried.length));
    const response = await send({ ...callback, hops: hopsOfContent(first.item.content) });
    const failure = failureOf(response, callback);
    if (failure === null && response.answer !== undefined) await callback.onResponse?.(response.answer);
    return { carried, callback, response, failure };
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) onError(error);
    return { carried, callback, response: null, failure: toFailure(error) };
  } finally {
    callback?.release?.();
  }
}

/** Returns the failure of a response: every status but 2xx is one, and 410 is final. */
function failureOf({ status }: CallbackResponse, { failsOnClientError }: RenderedCallback): DeliveryFailure | null {
  if (status >= 200 && status <= 299) return null;
  const isTemporary = status >= 500 || status === 408 || status === 429;
  const isFinal = status === 410 || (failsOnClientError === true && !isTemporary);
  const text = `The webhook responded with status ${String(status)}`;
  return requestFailure(text, isFinal);
}

function outcomeOf(
  { firstPauseMs, random }: AttemptDependencies,
  { item: stored, lease }: ClaimedDelivery,
  ended: { readonly exchange: Exchange; readonly attempt: CallbackAttempt; readonly at: number },
): CallbackOutcome {
  const { exchange, attempt, at } = ended;
  const { failure, response } = exchange;
  const failed = {
    step: stored.scheduleStep,
    attemptsMax: stored.attemptsMax,
    failedAt: at,
    retryAfterMs: retryAfterOf(exchange),
  };
  const pauses: CallbackPauses = { firstPauseMs, random: random() };
  const isDeath = isWorkerDeath(failure);
  const retryAt = failure === null || failure.verdict === "fail" ? null : nextCallbackAt(failed, pauses);
  // Soon, so that it is soon known whether the worker dies again.
  const dueAt = isDeath && retryAt !== null ? at + firstPauseMs : retryAt;
  const status = failure === null ? "Delivered" : dueAt === null ? "Failed" : "Pending";
  const isTargetFailing = failingOf(stored, exchange);
  const judged = isTargetFailing === undefined ? {} : { isTargetFailing };
  const outcome = {
    id: stored.id,
    lease,
    status,
    dueAt,
    attempt,
    ...judged,
    ...(isDeath && { isDeath }),
  } as const;
  const isGone = response?.status === 410 && stored.target !== null;
  return isGone ? { ...outcome, disables: { reason: "The webhook responded with status 410" } } : outcome;
}

/**
 * Returns whether a request shows that its target fails; undefined when it shows neither: it was not sent, or its number of
 * attempts is limited because it has a defect, which a target should refuse.
 */
function failingOf(
  { target, attemptsMax }: StoredDelivery,
  { callback, response, failure }: Exchange,
): boolean | undefined {
  if (target === null || (failure !== null && attemptsMax !== null)) return undefined;
  if (failure === null) return false;
  return callback === null || (response === null && failure.isLocalRefusal) ? undefined : true;
}

/** `Retry-After` means a pause with these statuses only (RFC 6585 §4, RFC 9110 §15.6.4). */
function retryAfterOf({ response }: Exchange): number | null {
  return response?.status === 429 || response?.status === 503 ? response.retryAfterMs : null;
}

function stateOf({ callback, response, failure }: Exchange): ReceiverState {
  if (failure === null) return "healthy";
  // What was not sent, or cut off on request, says nothing about the receiver.
  if (callback === null || callback.isCutOff === true) return "refusing";
  if (response === null) return failure.isLocalRefusal ? "refusing" : "failing";
  return response.status >= 500 || response.status === 429 ? "failing" : "refusing";
}

const maskedHeaders: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

/** Returns the header fields of a request by name in lower case, with `***` in place of credentials. */
export function shownHeaders({
  headers,
  contentType,
  secretHeaders = [],
}: CallbackRequest): Readonly<Record<string, string>> {
  const masked = new Set([...maskedHeaders, ...secretHeaders]);
  const fields = Object.entries({ ...headers, ...(contentType !== "" && { "content-type": contentType }) });
  return Object.fromEntries(
    fields.map(([name, value]) => [name.toLowerCase(), masked.has(name.toLowerCase()) ? "***" : value]),
  );
}
