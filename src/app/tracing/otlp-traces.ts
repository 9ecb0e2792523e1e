/** Traces over OTLP/HTTP with JSON (OpenTelemetry Protocol 1.x), to the receiver that the variables of OpenTelemetry name. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { BackgroundTask, BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import type { SpanAttributes, SpanPosition, SpanStart, Tracing } from "../../core/tracing.ts";
import { readJson } from "../../core/read-json.ts";
import { type LimitedResponse, requestWithin } from "../../egress/limited-request.ts";
import { encodeSpans, type FinishedSpan } from "./otlp-json.ts";
import type { OnLostSpans, OpenTraces } from "./load-traces.ts";
import type { TraceReceiver } from "./trace-receiver.ts";

/** Spans that wait for the receiver; further ones are lost, and counted. */
export const waitingSpanCountMax = 2048;
/** Spans of one request. */
const batchSpanCount = 512;
const pauseMs = 5000;
const requestMsMax = 3000;
/** A response has a message about refused spans at most. */
const responseBytesMax = 65_536;
/** Stored changes that a waiting request may still receive. */
export const storedCountMax = 10_000;

/** Dependencies of {@link openTraces}. */
export interface TraceDependencies {
  readonly receiver: TraceReceiver;
  readonly version: string;
  readonly clock: Clock;
  readonly tasks: BackgroundTasks;
  readonly onLost: OnLostSpans;
}

interface StoredChange {
  readonly position: SpanPosition;
  readonly at: number;
}

/** Begins to record spans; failures of their export are reported to the background task `traces`. */
export function openTraces(dependencies: TraceDependencies): OpenTraces {
  const spans = new SpanExport(dependencies);
  const current = new AsyncLocalStorage<SpanPosition>();
  const changes = new Map<string, StoredChange>();
  const position = (parent: SpanPosition | undefined): SpanPosition => {
    const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
    const spanId = randomBytes(8).toString("hex");
    return { traceId, spanId, isSampled: dependencies.receiver.isSampled(traceId, parent) };
  };
  const tracing: Tracing = {
    run: async (span, body) => {
      const startMs = span.startedAt?.() ?? performance.now();
      const caller = span.parent?.();
      const parent = caller ?? current.getStore();
      const own = position(parent);
      if (!own.isSampled) return current.run(own, body);
      let error: string | undefined;
      try {
        return await current.run(own, body);
      } catch (cause) {
        error = reasonOf(cause);
        throw cause;
      } finally {
        const isEntry = span.parent !== undefined;
        spans.add({ ...describe(span), position: own, parent, isEntry, startMs, endMs: performance.now(), error });
      }
    },
    current: () => {
      const own = current.getStore();
      return own?.isSampled === true ? own : undefined;
    },
    stored: (server, sequence, own = current.getStore()) => {
      if (own?.isSampled !== true) return;
      changes.set(`${server}:${String(sequence)}`, { position: own, at: performance.now() });
      if (changes.size <= storedCountMax) return;
      const [oldest = ""] = changes.keys();
      changes.delete(oldest);
    },
    answered: (server, sequence) => {
      const change = changes.get(`${server}:${String(sequence)}`);
      if (change === undefined) return;
      const request = current.getStore();
      spans.add({
        name: "answer waiting request",
        attributes: { "restante.server": server },
        position: position(change.position),
        parent: change.position,
        isEntry: false,
        startMs: change.at,
        endMs: performance.now(),
        links: request === undefined ? [] : [request],
        error: undefined,
      });
    },
  };
  return { tracing, close: async () => spans.close() };
}

/** Returns the code or the name of an error, whose message may have addresses. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Problem) return cause.code;
  return cause instanceof Error ? cause.name : typeof cause;
}

function describe({ name, attributes }: SpanStart): { readonly name: string; readonly attributes: SpanAttributes } {
  return { name, attributes: attributes?.() ?? {} };
}

/** Bounded queue of finished spans, which are sent in batches. */
class SpanExport {
  readonly #dependencies: TraceDependencies;
  readonly #task: BackgroundTask;
  readonly #waiting: FinishedSpan[] = [];
  #isClosed = false;
  #cancel: () => void = () => undefined;
  #sending: Promise<void> | undefined;

  constructor(dependencies: TraceDependencies) {
    this.#dependencies = dependencies;
    this.#task = dependencies.tasks.register("traces", { backlog: () => this.#waiting.length });
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= waitingSpanCountMax) {
      this.#dependencies.onLost("queue_full", 1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length === 1) this.#schedule(pauseMs);
    if (this.#waiting.length === batchSpanCount) this.#schedule(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#sending;
    while (this.#waiting.length > 0 && (await this.#send()));
    if (this.#waiting.length > 0) this.#dependencies.onLost("stop", this.#waiting.splice(0).length);
    this.#task.end();
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed || this.#sending !== undefined) return;
    this.#cancel();
    this.#cancel = this.#dependencies.clock.after(afterMs, () => {
      this.#sending = this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    const isReached = await this.#send();
    this.#sending = undefined;
    const isFull = isReached && this.#waiting.length >= batchSpanCount;
    if (this.#waiting.length > 0) this.#schedule(isFull ? 0 : pauseMs);
  }

  /** Sends a batch, which stays in the queue when it may be accepted later; returns whether it left the queue. */
  async #send(): Promise<boolean> {
    const { receiver, version, clock, onLost } = this.#dependencies;
    const batch = this.#waiting.slice(0, batchSpanCount);
    const request = {
      method: "POST",
      headers: { ...receiver.headers, "content-type": "application/json" },
      body: encodeSpans(batch, { ...receiver.resource, "service.version": version }),
      msMax: requestMsMax,
      bytesMax: responseBytesMax,
    };
    try {
      const { status, body } = await requestWithin(new URL(receiver.url), request, clock);
      if (isRetryable(status)) throw new Error(`the receiver of traces responded with status ${status}`);
      this.#waiting.splice(0, batch.length);
      const { count, reason } = refusalOf({ status, body }, batch.length);
      if (count > 0) {
        onLost("refused", count);
        this.#task.failed(new Error(`the receiver of traces refused ${count} of ${batch.length} spans: ${reason}`));
      } else this.#task.succeeded();
      return true;
    } catch (error) {
      this.#task.failed(error, pauseMs);
      return false;
    }
  }
}

/** Returns the number of spans of a response that were refused for good: all, or those of a partial success (OTLP 1.x, "Partial Success"). */
function refusalOf(
  { status, body }: Pick<LimitedResponse, "status" | "body">,
  sentCount: number,
): { readonly count: number; readonly reason: string } {
  if (status !== 200) return { count: sentCount, reason: `status ${status}` };
  const reading = readJson(body);
  const response = membersOf("value" in reading ? reading.value : null);
  const { rejectedSpans, errorMessage } = membersOf(response["partialSuccess"]);
  // A 64-bit integer, which is a text in the JSON of protobuf.
  const count = Math.min(sentCount, Number(rejectedSpans ?? 0) || 0);
  return { count, reason: typeof errorMessage === "string" ? errorMessage.slice(0, 200) : "no reason given" };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Readonly<Record<string, unknown>>;
}

/** Whether a request may be repeated (OTLP 1.x, "Failures"). */
function isRetryable(status: number): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}
