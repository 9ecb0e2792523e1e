import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { noTracing, type Tracing } from "../../core/tracing.ts";
import { type Config, SettingsError } from "../settings/config.ts";
import { readVersion } from "../version.ts";

/** Open export of traces. */
export interface Traces {
  readonly tracing: Tracing;
  /** Returns the number of spans that were lost since the start. */
  readonly lostCount: () => number;
  /** Sends the spans that wait, in one attempt each batch. */
  readonly close: () => Promise<void>;
}

/** Loads the export of traces where the settings ask for it. Rejects with {@link SettingsError} for wrong variables. */
export async function loadTraces(
  { traces, openTelemetry }: Pick<Config, "traces" | "openTelemetry">,
  dependencies: { readonly clock: Clock; readonly tasks: BackgroundTasks },
): Promise<Traces> {
  if (traces === "off") return { tracing: noTracing, lostCount: () => 0, close: async () => undefined };
  const [{ openTraces }, { readTraceReceiver }] = await Promise.all([
    import("./otlp-traces.ts"),
    import("./trace-receiver.ts"),
  ]);
  try {
    return openTraces({ ...dependencies, receiver: readTraceReceiver(openTelemetry), version: readVersion() });
  } catch (error) {
    throw new SettingsError([error instanceof Error ? error.message : String(error)], { cause: error });
  }
}
