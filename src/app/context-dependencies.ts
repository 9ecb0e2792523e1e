/** Groups of what operations depend on, made from the ground. */
import { randomBytes } from "node:crypto";
import { createEventHub, type EventHub } from "../core/events.ts";
import { createRevocations } from "../core/revocations.ts";
import { createBodyAnalyser } from "../operations/body-analyser.ts";
import type { Context } from "../operations/context.ts";
import { createAuditLog } from "../operations/audit-log.ts";
import { createKeyGuard } from "../operations/key-guard.ts";
import { createInspector } from "../operations/inspector.ts";
import { createPreviewDesk } from "../operations/preview-desk.ts";
import { createQuotas } from "../operations/quotas.ts";
import { createSecretBox } from "../operations/secret-box.ts";
import { shareRevocations } from "../operations/shared-revocations.ts";
import { SharedEvents } from "../operations/shared-events.ts";
import { shareThrottle } from "../operations/shared-throttle.ts";
import { createThrottle, type Throttle } from "../operations/throttle.ts";
import { createTimings } from "../operations/timings.ts";
import type { BaseDependencies } from "./assemble.ts";
import { createAuditFile } from "./audit-file.ts";
import type { Metrics } from "./metrics.ts";
import { createRenderer } from "./rendering.ts";
import { ensureSecretKey } from "./secret-key.ts";

/** What guards the account: its limits of the day, and the seal of its secrets. */
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

/** Returns what subscribers depend on: revocations on all nodes, and how long mail takes to be seen. */
export function subscriberDependencies(
  { nodes }: Pick<BaseDependencies, "nodes">,
  { mailTimed }: Metrics,
): Pick<Context, "revocations" | "timings"> {
  const own = createRevocations();
  return { revocations: nodes === null ? own : shareRevocations(own, nodes), timings: createTimings(mailTimed) };
}

/** What analyses mails on worker threads. */
export function analyserDependencies({
  config,
  clock,
  tasks,
}: BaseDependencies): Pick<Context, "inspector" | "bodies"> {
  const { limits } = config;
  return {
    inspector: createInspector({ limits, clock, tasks }),
    bodies: createBodyAnalyser({ clock, tasks }),
  };
}

/** Returns the renderer of previews and the cache of what it has rendered. */
export function previewDependencies({
  config,
  clock,
  log,
  tasks,
}: BaseDependencies): Pick<Context, "renderer" | "previews"> {
  let isTold = process.getuid?.() !== 0;
  const onStart = (): void => {
    if (!isTold) log.warn({}, "previews run as root: Chromium's own sandbox is off; run the service as another user");
    isTold = true;
  };
  return { renderer: createRenderer(config, clock, { tasks, onStart }), previews: createPreviewDesk(clock) };
}

/** Rings for whoever answers it by then; silent until somebody does. */
export interface Bell {
  readonly ring: () => void;
  readonly answer: (action: () => void) => void;
}

/** A bell that nobody answers yet. */
export function createNotifier(): Bell {
  let act: () => void = () => undefined;
  return {
    ring: () => {
      act();
    },
    answer: (action) => {
      act = action;
    },
  };
}

/** Where those who wait hear of changes, other nodes' included where there are any; and how that ends. */
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

/** Counts wrong keys and passwords, on all nodes together. */
export function createWrongSecretThrottle({ config, clock, nodes }: BaseDependencies): Throttle {
  const throttle = createThrottle(clock, config.limits.wrongKeyCountPerMinuteMax);
  return nodes === null ? throttle : shareThrottle(throttle, nodes);
}

/** What concerns what leaves. */
export function outboxDependencies(bell: Bell): Pick<Context, "repeats" | "wakeOutbox" | "operatorToken"> {
  return {
    repeats: new Map(),
    wakeOutbox: bell.ring,
    operatorToken: randomBytes(24).toString("base64url"),
  };
}
