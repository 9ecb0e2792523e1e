/** Resources of requests: bytes of bodies and responses, and requests and event streams of each key. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { unauthenticatedBodyBytesMax } from "../core/arrival-rate.ts";
import { ByteBudget, type ByteHold } from "../core/byte-budget.ts";
import { KeySlots } from "../core/key-slots.ts";
import type { Limits } from "../core/limits.ts";
import type { MemoryKind, MemoryObserver } from "../core/process-resources.ts";
import { RequestTranscript } from "../core/transcript.ts";
import { mailBytesOfBody, requestWaitMsMax } from "../operations/services/limits/mail-admission.ts";
import type { HttpOptions } from "./options.ts";
import { createResponseMemory, type ResponseMemory } from "./response-memory.ts";
import type { Call, Method } from "./route.ts";

/** Resources that a request holds until its response is sent. */
export interface RequestResources {
  /** Bytes of the body: of the caller's share once it is identified, before of the budget of strangers. */
  readonly body: ByteHold;
  /**
   * Waits until what is made of a body of `bytes` has room in the memory of mails, until `body` is released. Rejects with
   * `too_many_requests` or `unavailable` after 30 seconds.
   */
  readonly admitBody: (bytes: number) => Promise<void>;
  /** Closes the connection after the response, because the rest of the body does not arrive. */
  readonly endConnection: () => void;
  readonly room: ResponseMemory;
  /** Sets the caller's key once it is authenticated; throws `too_many_requests` when it has too many requests under way. */
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
  const { admission, clock, limits } = context;
  const bodies = createBodyBudgets(limits, memory);
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
    let hold: ByteHold | undefined;
    let endWork: (() => void) | null = null;
    const body: ByteHold = {
      take: (bytes) =>
        (hold ??= key === undefined ? bodies.ofUnauthenticated(callerKey()) : bodies.ofMember(key)).take(bytes),
      release: () => {
        hold?.release();
        endWork?.();
        endWork = null;
      },
    };
    return {
      body,
      admitBody: async (bytes) => {
        endWork = await admission.admit(mailBytesOfBody(bytes), callerKey(), requestWaitMsMax);
      },
      endConnection: () => {
        response.shouldKeepAlive = false;
      },
      room: { ...reservation, release },
      identify: (keyId) => {
        if (key === keyId) return;
        key = keyId;
        slots.push(requests.take(keyId));
      },
      holdEventStream: () => slots.push(eventStreams.take(callerKey())),
    };
  };
}

/** Budgets of request bodies. */
interface BodyBudgets {
  /** Opens a hold for a caller that is authenticated. */
  readonly ofMember: (key: string) => ByteHold;
  /** Opens a hold for a client that is not. */
  readonly ofUnauthenticated: (clientAddress: string) => ByteHold;
}

/** Share of the body budget that one key may use, and of the strangers' budget that one address may use. */
const shareOfOne = 3 / 4;

function createBodyBudgets(
  { httpBytesInFlightMax, unauthenticatedBytesInFlightMax, contentBodyBytesMax }: Limits,
  memory: MemoryObserver | undefined,
): BodyBudgets {
  const create = (kind: MemoryKind, bytesMax: number, largest: number): ByteBudget => {
    const onChange = (isExhausted: boolean): void => memory?.changed(kind, isExhausted);
    const budget = new ByteBudget(Math.max(bytesMax, largest), onChange, Math.max(bytesMax * shareOfOne, largest));
    memory?.watch(kind, () => budget.bytesUsed);
    return budget;
  };
  const members = create("http_requests", httpBytesInFlightMax, contentBodyBytesMax);
  const unauthenticated = create("http_unauthenticated", unauthenticatedBytesInFlightMax, unauthenticatedBodyBytesMax);
  return { ofMember: (key) => members.hold(key), ofUnauthenticated: (address) => unauthenticated.hold(address) };
}

/** Reason of all aborted signals: an error for each request would cost its stack trace, which nobody reads. */
const closed = new DOMException("The response is closed", "AbortError");

const signals = new WeakMap<ServerResponse, AbortSignal>();

/**
 * Returns a signal that aborts, with an `AbortError`, when a response is sent or its client has disconnected. It is the same for
 * all callers, because requests within a request are many.
 */
export function signalOfClose(response: ServerResponse): AbortSignal {
  const known = signals.get(response);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(response, controller.signal);
  response.once("close", () => {
    controller.abort(closed);
  });
  return controller.signal;
}

// Transcripts of requests that store messages.

/** Request whose transcript is recorded. */
interface RecordedRequest {
  readonly method: Method;
  /** Path with the query string. */
  readonly target: string;
  /** Bytes of the body, or its JSON value. */
  readonly body: unknown;
  /** Key of the request; null without one. */
  readonly key: string | null;
  /** Status of the response when the message is stored. */
  readonly status: number;
}

/** Returns the transcript of a request, which is encoded when a message is stored. */
export function transcribe(
  {
    context,
    clientAddress,
    isEncrypted,
    headers,
    httpVersion,
  }: Pick<Call, "context" | "clientAddress" | "isEncrypted" | "headers" | "httpVersion">,
  { status, ...request }: RecordedRequest,
): RequestTranscript {
  const peer = { protocol: `HTTP/${httpVersion}`, clientAddress, tls: isEncrypted ? "TLS" : null };
  const success = `${String(status)} ${STATUS_CODES[status] ?? ""}`.trim();
  return new RequestTranscript({ ...request, headers, peer, success }, context.clock);
}
