/** State of the service's background tasks as the wire shows it. */
import type { BackgroundTaskState } from "../../core/background-tasks.ts";
import { build, refer, schemaOf, type WireSchema } from "./schema.ts";

/** A background task on the wire; instants in ISO 8601, UTC. */
export interface WireTask {
  readonly task: string;
  readonly state: "idle" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastFailure: { readonly at: string; readonly reason: string; readonly retryInMs: number | null } | null;
  readonly failures: number;
  readonly backlog: number | null;
  readonly oldestWaitingMs: number | null;
  readonly degrades: string | null;
}

/** Answer of `GET /api/status`. */
export interface WireStatus {
  readonly status: "ok" | "degraded";
  readonly tasks: readonly WireTask[];
}

const instant = build.String({ format: "date-time" });

/** A background task. */
export const taskSchema: WireSchema<WireTask> = schemaOf<WireTask>()(
  build.Object(
    {
      task: build.String({ description: "Name of the task; label of its metrics." }),
      state: build.Enum(["idle", "ok", "failing"], { description: "`idle`: no round has ended yet." }),
      lastSuccess: build.Union([instant, build.Null()]),
      lastFailure: build.Union([
        build.Object({
          at: instant,
          reason: build.String(),
          retryInMs: build.Union([build.Number({ minimum: 0 }), build.Null()]),
        }),
        build.Null(),
      ]),
      failures: build.Integer({ minimum: 0, description: "Failed rounds since the start." }),
      backlog: build.Union([build.Integer({ minimum: 0 }), build.Null()], { description: "Items that wait." }),
      oldestWaitingMs: build.Union([build.Number({ minimum: 0 }), build.Null()]),
      degrades: build.Union([build.String(), build.Null()], {
        description: "Effect on users while the task fails; null while it does not, or where users notice nothing.",
      }),
    },
    { $id: "BackgroundTask" },
  ),
);

/** The service's state. */
export const statusSchema: WireSchema<WireStatus> = schemaOf<WireStatus>()(
  build.Object(
    { status: build.Enum(["ok", "degraded"]), tasks: build.Array(refer(taskSchema)) },
    { $id: "ServiceStatus" },
  ),
);

/** The state of all tasks as the wire shows it. */
export function toWireStatus(states: readonly BackgroundTaskState[]): WireStatus {
  const isDegraded = states.some(({ degrades }) => degrades !== null);
  return { status: isDegraded ? "degraded" : "ok", tasks: states.map(toWireTask) };
}

function toWireTask({ lastSuccessAt, lastFailure, failureCount, ...state }: BackgroundTaskState): WireTask {
  return {
    ...state,
    lastSuccess: lastSuccessAt === null ? null : new Date(lastSuccessAt).toISOString(),
    lastFailure: lastFailure === null ? null : { ...lastFailure, at: new Date(lastFailure.at).toISOString() },
    failures: failureCount,
  };
}
