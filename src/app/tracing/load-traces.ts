import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { noTracing, type Tracing } from "../../core/tracing.ts";
import type { Log } from "../log/log.ts";
import { type Config, SettingsError } from "../settings/config.ts";
import { readVersion } from "../version.ts";

/** Recorder of spans, and the end of their export. */
export interface OpenTraces {
  readonly tracing: Tracing;
  /** Sends the spans that wait, in one attempt each batch. */
  readonly close: () => Promise<void>;
}

/** Open export of traces. */
export interface Traces extends OpenTraces {
  /** Numbers of spans that were lost since the start, by reason; empty while traces are off. */
  readonly lost: ReadonlyMap<SpanLoss, number>;
}

/** Reasons why spans are lost: the queue was full, the receiver refused them for good, or did not respond at the stop. */
const losses = ["queue_full", "refused", "stop"] as const;

/** Reason why spans are lost. */
export type SpanLoss = (typeof losses)[number];

/** Receives the number of spans that were lost, and the reason. */
export type OnLostSpans = (reason: SpanLoss, count: number) => void;

/** Loads the export of traces where the settings ask for it. Rejects with {@link SettingsError} for wrong variables. */
export async function loadTraces(
  { traces, openTelemetry }: Pick<Config, "traces" | "openTelemetry">,
  { log, ...dependencies }: { readonly clock: Clock; readonly tasks: BackgroundTasks; readonly log: Pick<Log, "warn"> },
): Promise<Traces> {
  if (traces === "off") return { tracing: noTracing, lost: new Map(), close: async () => undefined };
  const [{ openTraces }, { readTraceReceiver }] = await Promise.all([
    import("./otlp-traces.ts"),
    import("./trace-receiver.ts"),
  ]);
  const lost = new Map<SpanLoss, number>(losses.map((reason) => [reason, 0]));
  const onLost: OnLostSpans = (reason, count) => {
    const before = lost.get(reason) ?? 0;
    if (before === 0) log.warn({ reason, count }, "spans of traces lost; further ones are only counted");
    lost.set(reason, before + count);
  };
  try {
    const receiver = readTraceReceiver(openTelemetry);
    return { ...openTraces({ ...dependencies, receiver, version: readVersion(), onLost }), lost };
  } catch (error) {
    throw new SettingsError([error instanceof Error ? error.message : String(error)], { cause: error });
  }
}
