/** Dependencies of operations, built from the base dependencies. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { createEventHub, type EventHub } from "../core/events.ts";
import type { FaultHit } from "../core/fault.ts";
import { createRevocations } from "../core/api-key.ts";
import type { Context } from "../operations/context.ts";
import { createFaults } from "../operations/services/faults.ts";
import { createEventStreams } from "../operations/services/events/event-streams.ts";
import { createPolls } from "../operations/services/events/polls.ts";
import { SharedEvents, shareRevocations } from "../operations/services/events/shared-events.ts";
import { createTimings } from "../operations/services/events/timings.ts";
import { createQuotas } from "../operations/services/limits/quotas.ts";
import { createPreviewCache } from "../operations/services/previews/mail-renderer.ts";
import { createAuditLog } from "../operations/services/security/audit-log.ts";
import { createKeyGuard } from "../operations/services/security/key-guard.ts";
import { createSecretBox } from "../operations/services/security/secret-box.ts";
import { createThrottle, shareThrottle } from "../operations/services/security/throttle.ts";
import type { BaseDependencies } from "./assemble.ts";
import { createRenderer, rootWarning } from "./external-checks.ts";
import { createAuditFile } from "./log/audit-file.ts";
import type { Log } from "./log/log.ts";
import { createRepeatLog } from "./log/throttled-log.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { ensureSecretKey } from "./secret-key.ts";
import { openConfiguredIssuers } from "./settings/oidc-settings.ts";

/** Dependencies of {@link createFaultReporter}. */
interface FaultReporterDependencies {
  readonly log: Log;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly metrics: Pick<Metrics, "faultHit">;
}

/**
 * Returns a function that counts a hit of a fault rule and logs it: the first one of a rule and then one a minute with
 * `suppressedCount`, the number of those between, which it logs at level debug.
 */
export function createFaultReporter({ log, clock, metrics }: FaultReporterDependencies): (hit: FaultHit) => void {
  const logHit = createRepeatLog(log, clock, "info");
  return ({ server, rule, stage, action }) => {
    metrics.faultHit({ scope: server === null ? "service" : "server", stage, action });
    logHit(JSON.stringify([server, rule]), { server, rule, stage, action }, "fault rule applied");
  };
}

/** Members of the context that need the base of the service only. */
type ContextParts = ReturnType<typeof buildParts>;

/** Creates the members of the context that need the base of the service only; fault rules log and count their hits. */
export function contextParts(base: BaseDependencies, metrics: Metrics, notifiers: Notifiers): ContextParts {
  return buildParts(base, metrics, notifiers);
}

function buildParts(base: BaseDependencies, metrics: Metrics, { outbox, deliveries, changes, scans }: Notifiers) {
  const { config, clock, log, store, nodes, tasks, traces } = base;
  const { limits } = config;
  const revocations = createRevocations();
  const wrongSecrets = createThrottle(clock, limits.wrongKeyCountPerMinuteMax);
  const task = tasks.register("fault_rules", { degrades: "fault rules do not apply" });
  return {
    audit: createAuditLog({ store: store.audit, clock, tasks, write: createAuditFile(config.dataDir) }),
    keyGuard: createKeyGuard({ store, clock, tasks }),
    quotas: createQuotas({ store, clock, limits, onRefused: metrics.quotaRefused, isShared: nodes !== null }),
    secrets: createSecretBox(ensureSecretKey(config)),
    faults: createFaults({ store, clock, task, onHit: createFaultReporter({ log, clock, metrics }) }),
    // Wrong secrets are counted, and keys revoked, on all nodes.
    revocations: nodes === null ? revocations : shareRevocations(revocations, nodes),
    wrongSecrets: nodes === null ? wrongSecrets : shareThrottle(wrongSecrets, nodes),
    issuers: openConfiguredIssuers(config, { clock, tasks }),
    timings: createTimings(metrics.mailTimed),
    tracing: traces.tracing,
    polls: createPolls(clock),
    eventStreams: createEventStreams(tasks),
    renderer: createRenderer(config, clock, { tasks, onStart: rootWarning(log) }),
    previews: createPreviewCache(clock),
    repeats: new Map() as Context["repeats"],
    onceRequests: new Map() as Context["onceRequests"],
    onceTask: tasks.register("idempotency_keys"),
    wakeOutbox: outbox.notify,
    wakeCallbacks: () => {
      changes.notify();
      deliveries.notify();
    },
    wakeScans: scans.notify,
    operatorToken: randomBytes(24).toString("base64url"),
  };
}

/** Notifier with one listener; notifications without a listener are dropped. */
interface Notifier {
  readonly notify: () => void;
  /** Sets the listener; replaces the previous one. */
  readonly listen: (action: () => void) => void;
}

/** Notifiers of the workers: of new entries of the outbox, deliveries of callbacks, targets of callbacks, and scans. */
export type Notifiers = Readonly<Record<"outbox" | "deliveries" | "changes" | "scans", Notifier>>;

/** Creates notifiers without listeners. */
export function createNotifiers(): Notifiers {
  return { outbox: createNotifier(), deliveries: createNotifier(), changes: createNotifier(), scans: createNotifier() };
}

function createNotifier(): Notifier {
  let act: () => void = () => undefined;
  return {
    notify: () => act(),
    listen: (action) => {
      act = action;
    },
  };
}

/** Opens the event hub, which includes the events of other nodes; `close` unsubscribes from these. */
export function openEvents({ clock, nodes, tasks, traces }: BaseDependencies): {
  readonly events: EventHub;
  readonly close: () => void;
} {
  const hub = createEventHub();
  if (nodes === null) return { events: hub, close: () => undefined };
  const task = tasks.register("shared_events", { degrades: "waits and streams notice other nodes' messages late" });
  const events = new SharedEvents({ hub, nodes, clock, task, tracing: traces.tracing });
  return {
    events,
    close: () => {
      events.close();
      task.end();
    },
  };
}
