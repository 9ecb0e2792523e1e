/** Metrics of the service for Prometheus. Labels never contain addresses or subjects. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { BackgroundTaskRegistry } from "../../core/background-tasks.ts";
import { residentBytes } from "../../core/memory-observer.ts";
import type { StoreStatistics } from "../../store/store.ts";
import {
  callbackAttempts,
  callbackGauges,
  type CallbackMetrics,
  faultHits,
  type FaultMetrics,
  linkScans,
  type ScanMetrics,
} from "./work-metrics.ts";
import {
  mailAccessMetrics,
  type MailAccessMetrics,
  type MetricFactory,
  smtpCounters,
  type SmtpCounters,
} from "./session-metrics.ts";
import { type CollectedGauge, memoryMetrics, type MemoryMetrics } from "./memory-metrics.ts";
import { taskFailures, taskGauges, type TaskMetric } from "../background/background-log.ts";

/** Outcome of one HTTP request. `route` is the pattern of the route, never the path. */
interface HttpRequestOutcome {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Outcome of one delivery attempt: its route, and the status of the outbox entry afterwards. */
interface AttemptOutcome {
  readonly route: string;
  readonly status: string;
}

/** Metrics of the service. */
export interface Metrics extends MemoryMetrics, CallbackMetrics, FaultMetrics, MailAccessMetrics, ScanMetrics {
  /** Records the duration of one step of a mail: `stored` or `told`. */
  readonly mailTimed: (step: string, durationMs: number) => void;
  readonly smtp: SmtpCounters;
  httpRequestDone(outcome: HttpRequestOutcome): void;
  messagesExpired(count: number): void;
  /** Counts a delivery attempt. */
  attempted(outcome: AttemptOutcome): void;
  /** Counts a message that exceeded a quota. */
  readonly quotaRefused: (kind: string) => void;
  /** Registers the metrics of background tasks. */
  readonly watchTasks: (tasks: Pick<BackgroundTaskRegistry, "states">) => void;
  /** Returns all metrics in the text format of Prometheus, with current statistics of the store. */
  readonly text: () => Promise<string>;
  /** Media type of {@link Metrics.text}. */
  readonly contentType: string;
  /** Stops monitoring the event loop. */
  readonly close: () => void;
}

const loopResolutionMs = 20;

/** Creates the metrics. `statistics` is called on every {@link Metrics.text}. */
export function createMetrics(
  version: string,
  statistics: () => Promise<StoreStatistics>,
  waitingCount: () => number = () => 0,
): Metrics {
  const registry = new Registry();
  const create = metricFactory(registry);
  const smtp = smtpCounters(create);
  const http = httpCounters(registry);
  const expired = new Counter({
    name: "restante_messages_retired_total",
    help: "Messages removed by the retention rules of servers",
    registers: [registry],
  });
  const attempts = new Counter({
    name: "restante_delivery_attempts_total",
    help: "Delivery attempts of outbox entries, by route and resulting status: Sent, Queued (to be retried), Failed",
    labelNames: ["route", "status"],
    registers: [registry],
  });
  const overQuota = new Counter({
    name: "restante_quota_refusals_total",
    help: "Messages rejected because a quota was reached, by kind: daily email, daily sms, storage of a server",
    labelNames: ["kind"],
    registers: [registry],
  });
  sample(registry, { name: "restante_waiting_searches", help: "Searches waiting for a match", read: waitingCount });
  const held = storeGauges(registry, statistics);
  const { close } = processGauges(registry, version);
  return {
    smtp,
    mailTimed: mailTimes(registry),
    httpRequestDone: http,
    messagesExpired: (count) => {
      expired.inc(count);
    },
    attempted: ({ route, status }) => {
      attempts.inc({ route, status });
    },
    quotaRefused: (kind) => {
      overQuota.inc({ kind });
    },
    ...memoryMetrics(sample.bind(null, registry)),
    ...callbackMetrics(registry),
    ...ruleMetrics(registry),
    ...mailAccessMetrics(create),
    watchTasks: (tasks) => {
      registerTaskMetrics(registry, tasks);
    },
    text: async () => {
      await held();
      return registry.metrics();
    },
    contentType: registry.contentType,
    close,
  };
}

function metricFactory(registry: Registry): MetricFactory {
  return {
    counter: (definition) => new Counter({ ...definition, registers: [registry] }),
    gauge: (definition) => new Gauge({ ...definition, registers: [registry] }),
  };
}

function ruleMetrics(registry: Registry): FaultMetrics & ScanMetrics {
  const hits = new Counter({ ...faultHits, registers: [registry] });
  const scans = new Counter({ ...linkScans, registers: [registry] });
  return {
    faultHit: (labels) => {
      hits.inc({ ...labels });
    },
    linksScanned: (outcome) => {
      scans.inc({ outcome });
    },
  };
}

function callbackMetrics(registry: Registry): CallbackMetrics {
  const attempts = new Counter({ ...callbackAttempts, registers: [registry] });
  return {
    ...callbackGauges(sample.bind(null, registry)),
    callbackAttempted: (outcome) => {
      attempts.inc({ ...outcome });
    },
  };
}

function httpCounters(registry: Registry): Metrics["httpRequestDone"] {
  const registers = [registry];
  const requests = new Counter({
    name: "restante_http_requests_total",
    help: "HTTP requests answered, by method, route and status",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "restante_http_request_seconds",
    help: "Time from request to response, including waiting searches",
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers,
  });
  return ({ method, route, status, durationMs }) => {
    requests.inc({ method, route, status });
    seconds.observe(durationMs / 1000);
  };
}

function mailTimes(registry: Registry): Metrics["mailTimed"] {
  const seconds = new Histogram({
    name: "restante_mail_seconds",
    help: "Time of a mail from its last byte to commit (stored), and from commit to notification (told)",
    labelNames: ["step"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  return (step, durationMs) => {
    seconds.observe({ step }, durationMs / 1000);
  };
}

const storeRows: readonly (readonly [name: string, help: string, member: keyof StoreStatistics])[] = [
  ["restante_servers", "Servers", "serverCount"],
  ["restante_messages", "Stored messages", "messageCount"],
  ["restante_store_bytes", "Size of the store on disk, in bytes", "sizeBytes"],
  ["restante_purge_backlog", "Deleted messages whose space has not been reclaimed yet", "purgeBacklogCount"],
  ["restante_index_backlog", "Messages that are not in the text index yet", "indexBacklogCount"],
  ["restante_outbox_backlog", "Outbox entries that are queued or being delivered", "outboxBacklogCount"],
  ["restante_held_messages", "Accepted messages that are held until they become visible", "heldMessageCount"],
  ["restante_storage_full", "1 while mail is deferred because the disk of the store is full, else 0", "storageFull"],
];

/** Registers the gauges of the store; while it is unreachable they keep their last values. */
function storeGauges(registry: Registry, statistics: () => Promise<StoreStatistics>): () => Promise<void> {
  const gauges = storeRows.map(([name, help, member]) => {
    return { gauge: new Gauge({ name, help, registers: [registry] }), member };
  });
  const reachable = new Gauge({
    name: "restante_store_reachable",
    help: "1 while the store is reachable, else 0",
    registers: [registry],
  });
  return async () => {
    try {
      const held = await statistics();
      for (const { gauge, member } of gauges) gauge.set(held[member]);
      reachable.set(1);
    } catch {
      // The gauge reports it; the store's own calls log the reason.
      reachable.set(0);
    }
  };
}

/** Registers the metrics of all background tasks, read from their registry at every scrape. */
function registerTaskMetrics(registry: Registry, tasks: Pick<BackgroundTaskRegistry, "states">): void {
  const valuesOf = ({ read }: TaskMetric): readonly (readonly [task: string, value: number])[] =>
    tasks.states().flatMap((state) => {
      const value = read(state);
      return value === null ? [] : [[state.task, value] as const];
    });
  const shared = { labelNames: ["task"], registers: [] };
  const { name, help } = taskFailures;
  const failures: Counter = new Counter({
    ...shared,
    name,
    help,
    collect: () => {
      failures.reset();
      for (const [task, count] of valuesOf(taskFailures)) failures.inc({ task }, count);
    },
  });
  registry.registerMetric(failures);
  for (const metric of taskGauges) {
    const gauge: Gauge = new Gauge({
      ...shared,
      name: metric.name,
      help: metric.help,
      collect: () => {
        gauge.reset();
        for (const [task, value] of valuesOf(metric)) gauge.set({ task }, value);
      },
    });
    registry.registerMetric(gauge);
  }
}

/** Gauge that is read at every scrape. */
function sample(registry: Registry, { name, help, read }: CollectedGauge): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: ["kind"],
    registers: [],
    collect: () => {
      const value = read();
      if (typeof value === "number") gauge.set(value);
      else for (const [kind, bytes] of value) gauge.set({ kind }, bytes);
    },
  });
  registry.registerMetric(gauge);
}

function processGauges(registry: Registry, version: string): { close: () => void } {
  const build = new Gauge({
    name: "restante_build",
    help: "Always 1; labels with the versions of restante and Node",
    labelNames: ["version", "node"],
    registers: [registry],
  });
  build.set({ version, node: process.versions.node }, 1);
  const startedAt = Math.floor(Date.now() / 1000 - process.uptime());
  const sampleProcess = (name: string, help: string, read: () => number): void => {
    sample(registry, { name, help, read });
  };
  sampleProcess("process_start_time_seconds", "Start, in seconds since the Unix epoch", () => startedAt);
  sampleProcess("process_resident_memory_bytes", "Resident memory", () => residentBytes());
  sampleProcess("process_cpu_seconds_total", "Processor time used, user and system", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const delay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  delay.enable();
  sampleProcess("restante_event_loop_lag_seconds", "Longest delay of the event loop since the last scrape", () => {
    const lagSeconds = Math.max(0, delay.max / 1e9 - loopResolutionMs / 1000);
    delay.reset();
    return lagSeconds;
  });
  return { close: () => void delay.disable() };
}
