/** Variables of OpenTelemetry for traces (specification 1.x, "Environment Variable Specification" and "OTLP Exporter"). */
import { decodePercent } from "../../core/text-encodings.ts";
import type { SpanAttributes, SpanPosition } from "../../core/tracing.ts";

/** Receiver of traces, and the rule by which traces are chosen. */
export interface TraceReceiver {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of this service. */
  readonly resource: SpanAttributes;
  /** Whether spans of a trace are recorded; `parent` is the span that called, if any. */
  readonly isSampled: (traceId: string, parent: SpanPosition | undefined) => boolean;
}

/** Reads the variables. Throws an `Error` that names the one that is wrong. */
export function readTraceReceiver(environment: Readonly<Record<string, string | undefined>>): TraceReceiver {
  const value = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const own = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const base = value("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318";
  const name = own === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  return {
    url: httpUrl(own ?? `${base.replace(/\/+$/, "")}/v1/traces`, name),
    headers: pairs(value("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? value("OTEL_EXPORTER_OTLP_HEADERS")),
    resource: {
      "service.name": "restante",
      ...pairs(value("OTEL_RESOURCE_ATTRIBUTES")),
      ...(value("OTEL_SERVICE_NAME") !== undefined && { "service.name": value("OTEL_SERVICE_NAME") ?? "" }),
    },
    isSampled: samplerOf(value("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on", value("OTEL_TRACES_SAMPLER_ARG")),
  };
}

function httpUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  throw new Error(`${name}: give an http or https URL`);
}

/** Returns the pairs of `key=value,key=value`, with percent-encoded values, as in W3C Baggage; ignores others. */
function pairs(text = ""): Record<string, string> {
  const found = text.split(",").flatMap((pair): readonly (readonly [string, string])[] => {
    const at = pair.indexOf("=");
    const key = pair.slice(0, Math.max(0, at)).trim();
    return key === "" ? [] : [[key, decodePercent(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(found);
}

function samplerOf(name: string, argument: string | undefined): TraceReceiver["isSampled"] {
  const kind = name.replace("parentbased_", "");
  const ratio = { always_on: 1, always_off: 0, traceidratio: Number(argument ?? 1) }[kind];
  if (ratio === undefined || !(ratio >= 0 && ratio <= 1)) {
    throw new Error(
      "OTEL_TRACES_SAMPLER: give always_on, always_off or traceidratio, also with parentbased_ before it, and for traceidratio a number from 0 to 1 in OTEL_TRACES_SAMPLER_ARG",
    );
  }
  // The last 56 bits of a trace id are random (W3C Trace Context 2, "random trace id").
  const isChosen = (traceId: string): boolean => Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
  if (kind === name) return isChosen;
  return (traceId, parent) => parent?.isSampled ?? isChosen(traceId);
}
