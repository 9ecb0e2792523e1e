/** Traces of a mail, from its arrival to the request that it answers. Without a receiver of traces every function does nothing. */
import type { ServerId } from "./ids.ts";

/** Position in a trace (W3C Trace Context §3.2.2): 32 and 16 hexadecimal digits, in lower case and not all zeros. */
export interface SpanPosition {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Attributes of a span, by their names in the semantic conventions of OpenTelemetry where there are any. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Span that begins. The functions are called only while traces are recorded, and must not throw. */
export interface SpanStart {
  readonly name: string;
  /** Returns the position of the caller in its trace; absent for parts of the current span. */
  readonly parent?: () => SpanPosition | undefined;
  /** Returns the instant at which it began, in milliseconds of `performance.now()`; by default that of the call. */
  readonly startedAt?: () => number;
  readonly attributes?: () => SpanAttributes;
}

/** Recorder of spans. Its functions return at once and never throw by themselves. */
export interface Tracing {
  /** Runs `body` as a span, which is the current one of everything that `body` awaits; fails as `body` does. */
  readonly run: <Result>(span: SpanStart, body: () => Promise<Result>) => Promise<Result>;
  /** Remembers that a span, by default the current one, has stored the change of a server with this number. */
  readonly stored: (server: ServerId, sequence: number, span?: SpanPosition) => void;
  /** Returns the current span, for other nodes; undefined when it is not recorded. */
  readonly current: () => SpanPosition | undefined;
  /** Records that a waiting request, which is the current span, has received a change. */
  readonly answered: (server: ServerId, sequence: number) => void;
}

/** Tracing that records nothing. */
export const noTracing: Tracing = {
  run: async (_span, body) => body(),
  stored: () => undefined,
  current: () => undefined,
  answered: () => undefined,
};

const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const lengthMax = 512;

/** Returns the position in a field `traceparent` (W3C Trace Context §3.2); undefined when it is absent or malformed. */
export function readTraceparent(value: unknown): SpanPosition | undefined {
  if (typeof value !== "string" || value.length > lengthMax) return undefined;
  const [, traceId, spanId, flags = "00"] = traceparent.exec(value.trim()) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Bytes of a mail in which the field is looked for. */
const headerBytesMax = 64 * 1024;

/** Returns the position in the header field `traceparent` of a mail, within its first 64 KB. */
export function traceparentOf(raw: Uint8Array): SpanPosition | undefined {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, headerBytesMax)).toString("latin1");
  const end = /\r?\n\r?\n/.exec(start)?.index ?? start.length;
  return readTraceparent(/^traceparent:([^\r\n]*)/im.exec(start.slice(0, end))?.[1]);
}
