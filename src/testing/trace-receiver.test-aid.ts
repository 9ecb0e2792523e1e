/** Receiver of traces over OTLP/HTTP with JSON, for tests. */
import type { IncomingHttpHeaders } from "node:http";
import { startHttpListener } from "./http-listener.ts";

/** Span as it was received (`opentelemetry/proto/trace/v1/trace.proto`). */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly object[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface TraceRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[];
}

/** Running receiver. */
export interface TestReceiver {
  readonly url: string;
  /** Spans of accepted requests. */
  readonly spans: readonly ReceivedSpan[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Sets the status of further responses, 200 by default, and their body. */
  respondWith(status: number, body?: string): void;
  close(): Promise<void>;
}

/** Starts a receiver on a free port of loopback. */
export async function startTraceReceiver(): Promise<TestReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let status = 200;
  let body = "{}";
  const listener = await startHttpListener((request) => {
    headers.push(request.headers);
    if (request.path !== "/v1/traces" || request.method !== "POST") return { status: 404 };
    if (status !== 200) return { status };
    const { resourceSpans } = JSON.parse(request.body) as TraceRequest;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    return { status, body };
  });
  return {
    url: listener.url,
    spans,
    headers,
    respondWith: (given, text = "{}") => {
      status = given;
      body = text;
    },
    close: async () => listener[Symbol.asyncDispose](),
  };
}
