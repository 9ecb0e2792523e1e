/** Schemas of the state of background tasks. */
import type { BackgroundTaskState } from "../../core/background-tasks.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { leasedQueues } from "../../core/quarantine.ts";
import type { RetryRequest, ShownQuarantine } from "../../operations/account/account.ts";

const queue = build.enum(
  leasedQueues,
  "`outbox`: outbound mail and SMS; `deliveries`: callbacks; `scans`: links of mails; `scheduled`: scheduled and held messages; `reparses`: mails that could not be parsed.",
);

/** JSON of quarantined work. */
type WireQuarantine = ShownQuarantine;

/** Schema of quarantined work. */
export const quarantineSchema: WireSchema<WireQuarantine> = schemaOf<WireQuarantine>()(
  build.object(
    {
      queue,
      id: build.string("Id of the work within its queue."),
      message: orNull(build.string({ format: "uuid" }), "Message that it is about."),
      server: orNull(build.string(), "Id of the message's server."),
      attempts: build.integer({ minimum: 0, description: "Attempts that were started." }),
      reason: build.string("Reason of the quarantine."),
      quarantined: build.string({ format: "date-time", description: "Instant of the quarantine." }),
    },
    { $id: "QuarantinedWork" },
  ),
);

/** Schema of a request that retries quarantined work. */
export const quarantineRetrySchema: WireSchema<RetryRequest> = schemaOf<RetryRequest>()(
  build.partial({
    queue: build.enum(leasedQueues, "Only work of this queue; all by default."),
    id: build.string("Only work with this id; all by default."),
  }),
);

const instant = build.string({ format: "date-time" });

/** Schema of a background task. */
export const taskSchema = build.object(
  {
    task: build.string("Name of the task; label of its metrics."),
    state: build.enum(["idle", "ok", "failing"], "`idle`: no round has ended yet."),
    lastSuccess: orNull(instant),
    lastFailure: orNull(
      build.object({
        at: instant,
        reason: build.string(),
        retryInMs: orNull(build.number({ minimum: 0 })),
      }),
    ),
    failures: build.integer({ minimum: 0, description: "Failed rounds since the start." }),
    backlog: orNull(build.integer({ minimum: 0 }), "Number of waiting items."),
    oldestWaitingMs: orNull(build.number({ minimum: 0 })),
    degrades: orNull(
      build.string(),
      "Effect on users while the task fails; null while it does not, or when users notice nothing.",
    ),
  },
  { $id: "BackgroundTask" },
);

/** JSON of a background task; instants are ISO 8601 in UTC. */
export type WireTask = ValueOf<typeof taskSchema>;

/** Schema of the state of the service. */
export const statusSchema = build.object(
  { status: build.enum(["ok", "degraded"]), tasks: build.array(refer(taskSchema)) },
  { $id: "ServiceStatus" },
);

/** JSON of `GET /api/status`. */
export type WireStatus = ValueOf<typeof statusSchema>;

/** Returns the state of all tasks in its JSON form. */
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
