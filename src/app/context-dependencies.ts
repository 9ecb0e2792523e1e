/** Dependencies of operations, built from the base dependencies. */
import { randomBytes } from "node:crypto";
import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { createEventHub, type EventHub } from "../core/events.ts";
import type { FaultHit } from "../core/fault.ts";
import { createRevocations } from "../core/revocations.ts";
import type { Context } from "../operations/context.ts";
import { createFaults, type Faults } from "../operations/services/faults.ts";
import { createEventStreams } from "../operations/services/events/event-streams.ts";
import { createPolls } from "../operations/services/events/polls.ts";
import { SharedEvents } from "../operations/services/events/shared-events.ts";
import { createTimings } from "../operations/services/events/timings.ts";
import { createQuotas } from "../operations/services/limits/quotas.ts";
import { createPreviewCache } from "../operations/services/previews/mail-renderer.ts";
import { createAuditLog } from "../operations/services/security/audit-log.ts";
import { createKeyGuard } from "../operations/services/security/key-guard.ts";
import { createSecretBox } from "../operations/services/security/secret-box.ts";
import { shareRevocations } from "../operations/services/security/shared-revocations.ts";
import { createThrottle, shareThrottle, type Throttle } from "../operations/services/security/throttle.ts";
import type { BaseDependencies } from "./assemble.ts";
import { createRenderer, rootWarning } from "./external-checks.ts";
import { createAuditFile } from "./log/audit-file.ts";
import type { Log } from "./log/log.ts";
import { createSuppression, withSuppressed } from "./log/throttled-log.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { ensureSecretKey } from "./secret-key.ts";

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
  const suppressedBefore = createSuppression(clock);
  return ({ server, rule, stage, action }) => {
    metrics.faultHit({ scope: server === null ? "service" : "server", stage, action });
    const fields = { server, rule, stage, action };
    const suppressedCount = suppressedBefore(JSON.stringify([server, rule]));
    if (suppressedCount === null) log.debug(fields, "fault rule applied");
    else log.info(withSuppressed(fields, suppressedCount), "fault rule applied");
  };
}

/** Creates the audit log, the key guard, the quotas and the encryption of secrets. */
export function accountDependencies(
  { config, clock, store, nodes, tasks }: BaseDependencies,
  { quotaRefused }: Metrics,
): Pick<Context, "quotas" | "secrets" | "keyGuard" | "audit"> {
  return {
    audit: createAuditLog({ store: store.audit, clock, tasks, write: createAuditFile(config.dataDir) }),
    keyGuard: createKeyGuard({ store, clock, tasks }),
    quotas: createQuotas({
      store,
      clock,
      limits: config.limits,
      onRefused: quotaRefused,
      isShared: nodes !== null,
    }),
    secrets: createSecretBox(ensureSecretKey(config)),
  };
}

/** Creates the fault rules, which log and count their hits. */
export function createFaultRules({ store, clock, log, tasks }: BaseDependencies, metrics: Metrics): Faults {
  const task = tasks.register("fault_rules", { degrades: "fault rules do not apply" });
  return createFaults({ store, clock, task, onHit: createFaultReporter({ log, clock, metrics }) });
}

/** Creates the dependencies of subscribers: key revocations of all nodes, and timings of notifications. */
export function subscriberDependencies(
  { nodes, clock, tasks }: Pick<BaseDependencies, "nodes" | "clock" | "tasks">,
  { mailTimed }: Metrics,
): Pick<Context, "revocations" | "timings" | "polls" | "eventStreams"> {
  const own = createRevocations();
  return {
    revocations: nodes === null ? own : shareRevocations(own, nodes),
    timings: createTimings(mailTimed),
    polls: createPolls(clock),
    eventStreams: createEventStreams(tasks),
  };
}

/** Creates the renderer of previews and the cache of its results. */
export function previewDependencies({
  config,
  clock,
  log,
  tasks,
}: BaseDependencies): Pick<Context, "renderer" | "previews"> {
  const onStart = rootWarning(log);
  return { renderer: createRenderer(config, clock, { tasks, onStart }), previews: createPreviewCache(clock) };
}

/** Notifier with one listener; notifications without a listener are dropped. */
interface Notifier {
  readonly notify: () => void;
  /** Sets the listener; replaces the previous one. */
  readonly listen: (action: () => void) => void;
}

/** Notifiers of workers. */
type Notifiers = Readonly<Record<"outbox" | "deliveries" | "changes" | "scans", Notifier>>;

/** Notifications of workers. */
export interface Notifications {
  /** Sets the action that is called when the outbox has a new entry; replaces the previous one. */
  readonly onOutboxNotification: (action: () => void) => void;
  /** Sets the action that is called when there are new deliveries of callbacks; replaces the previous one. */
  readonly onCallbackNotification: (action: () => void) => void;
  /** Sets the action that is called when targets of callbacks may be new; replaces the previous one. */
  readonly onTargetNotification: (action: () => void) => void;
  /** Sets the action that is called when there are new scans; replaces the previous one. */
  readonly onScanNotification: (action: () => void) => void;
  /** Notifies the worker that sends deliveries alone. */
  readonly wakeDeliveries: () => void;
}

/** Creates notifiers without listeners. */
export function createNotifiers(): Notifiers {
  return { outbox: createNotifier(), deliveries: createNotifier(), changes: createNotifier(), scans: createNotifier() };
}

/** Returns the functions by which workers listen. */
export function notificationsOf({ outbox, deliveries, changes, scans }: Notifiers): Notifications {
  return {
    onOutboxNotification: outbox.listen,
    onCallbackNotification: deliveries.listen,
    onTargetNotification: changes.listen,
    onScanNotification: scans.listen,
    wakeDeliveries: deliveries.notify,
  };
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
export function openEvents({ clock, nodes, tasks }: BaseDependencies): {
  readonly events: EventHub;
  readonly close: () => void;
} {
  const hub = createEventHub();
  if (nodes === null) return { events: hub, close: () => undefined };
  const task = tasks.register("shared_events", { degrades: "waits and streams notice other nodes' messages late" });
  const events = new SharedEvents({ hub, nodes, clock, task });
  return {
    events,
    close: () => {
      events.close();
      task.end();
    },
  };
}

/** Creates the throttle of wrong keys and passwords, shared between nodes. */
export function createWrongSecretThrottle({ config, clock, nodes }: BaseDependencies): Throttle {
  const throttle = createThrottle(clock, config.limits.wrongKeyCountPerMinuteMax);
  return nodes === null ? throttle : shareThrottle(throttle, nodes);
}

/** Creates the dependencies of outbound messages and of repeated requests, and the operator's token. */
export function outboxDependencies(
  { outbox, deliveries, changes, scans }: Notifiers,
  tasks: BackgroundTasks,
): Pick<
  Context,
  "repeats" | "onceRequests" | "onceTask" | "wakeOutbox" | "wakeCallbacks" | "wakeScans" | "operatorToken"
> {
  return {
    repeats: new Map(),
    onceRequests: new Map(),
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
