import type { SpanAttributes, SpanPosition } from "../../core/tracing.ts";

/** Span that has ended; instants in milliseconds of `performance.now()`. */
export interface FinishedSpan {
  readonly name: string;
  readonly position: SpanPosition;
  readonly parent: SpanPosition | undefined;
  /** Whether it begins with a request or mail from outside. */
  readonly isEntry: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** Spans of other traces that it belongs to. */
  readonly links?: readonly SpanPosition[];
  /** Reason of a failure. */
  readonly error: string | undefined;
}

/** Values of the enumerations of `opentelemetry/proto/trace/v1/trace.proto`. */
const [internalKind, serverKind, errorStatus] = [1, 2, 2];

/** Encodes spans as a request of OTLP in JSON (`ExportTraceServiceRequest`), from a service with these attributes. */
export function encodeSpans(spans: readonly FinishedSpan[], resource: SpanAttributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "restante" }, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

function encodeSpan(span: FinishedSpan): object {
  const { position, parent, links = [], error } = span;
  return {
    traceId: position.traceId,
    spanId: position.spanId,
    ...(parent !== undefined && { parentSpanId: parent.spanId }),
    name: span.name,
    kind: span.isEntry ? serverKind : internalKind,
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: attributesOf(span.attributes),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    status: error === undefined ? {} : { code: errorStatus, message: error },
  };
}

function attributesOf(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
  }));
}

/** 64-bit integers are texts in the JSON of protobuf; the clock has microseconds. */
function nanoseconds(monotonicMs: number): string {
  return `${String(Math.round((performance.timeOrigin + monotonicMs) * 1000))}000`;
}
