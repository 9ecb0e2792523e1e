/** Resources of requests: bytes of bodies and responses, and requests and event streams of each key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ByteBudget, type ByteHold } from "../core/byte-budget.ts";
import { KeySlots } from "../core/key-slots.ts";
import type { HttpOptions } from "./options.ts";
import { createResponseMemory, type ResponseMemory } from "./response-memory.ts";

/** Resources that a request holds until its response is sent. */
export interface RequestResources {
  readonly body: ByteHold;
  readonly room: ResponseMemory;
  /** Sets the caller's key once it is known; throws `too_many_requests` when it has too many requests under way. */
  readonly identify: (key: string) => void;
  /** Counts the response as an event stream; throws `too_many_requests` when the key has too many. */
  readonly holdEventStream: () => void;
}

/** Opens the resources of a request. */
export type OpenRequestResources = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}) => RequestResources;

/** Returns a function that opens the resources of a request, from budgets that all requests share. */
export function createRequestResources(
  { context, memory }: Pick<HttpOptions, "context" | "memory">,
  clientAddress: (request: IncomingMessage) => string,
): OpenRequestResources {
  const { clock, limits } = context;
  const budget = new ByteBudget(Math.max(limits.httpBytesInFlightMax, limits.contentBodyBytesMax), (isExhausted) => {
    memory?.changed("http_requests", isExhausted);
  });
  memory?.watch("http_requests", () => budget.bytesUsed);
  const rooms = createResponseMemory(limits, clock, memory);
  const requests = new KeySlots(limits.requestCountPerKeyMax, "requests");
  const eventStreams = new KeySlots(limits.eventStreamCountPerKeyMax, "event streams");
  return ({ request, response }) => {
    let key: string | undefined;
    const slots: (() => void)[] = [];
    const callerKey = (): string => key ?? clientAddress(request);
    const reservation = rooms({ key: callerKey, signal: () => signalOfClose(response) });
    const release = (): void => {
      reservation.release();
      for (const free of slots.splice(0)) free();
    };
    return {
      body: budget.hold(),
      room: { ...reservation, release },
      identify: (keyId) => {
        key = keyId;
        slots.push(requests.take(keyId));
      },
      holdEventStream: () => slots.push(eventStreams.take(callerKey())),
    };
  };
}

/** Reason of all aborted signals: an error for each request would cost its stack trace, which nobody reads. */
const closed = new DOMException("The response is closed", "AbortError");

/** Returns a signal that aborts, with an `AbortError`, when a response is sent or its client has disconnected. */
export function signalOfClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    controller.abort(closed);
  });
  return controller.signal;
}
