import { unobservedTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import type { EventHub } from "../core/events.ts";
import type { Limits } from "../core/limits.ts";
import { createRevocations } from "../core/api-key.ts";
import { noTracing } from "../core/tracing.ts";
import type { Context } from "../operations/context.ts";
import { createEventStreams } from "../operations/services/events/event-streams.ts";
import { createPolls } from "../operations/services/events/polls.ts";
import { createTimings } from "../operations/services/events/timings.ts";
import { createWaiters } from "../operations/services/events/waiters.ts";

/** Dependencies of waiting searches and event streams, with the clock of the test. */
export function waitingParts(
  clock: Clock,
  events: EventHub,
  limits: Pick<Limits, "waiterCountMax" | "waiterCountPerKeyMax">,
): Pick<Context, "events" | "eventStreams" | "waiters" | "polls" | "revocations" | "timings" | "tracing"> {
  return {
    eventStreams: createEventStreams(unobservedTasks),
    events,
    waiters: createWaiters(events, limits),
    polls: createPolls(clock),
    revocations: createRevocations(),
    tracing: noTracing,
    timings: createTimings(
      () => undefined,
      () => clock.monotonicMs(),
    ),
  };
}
