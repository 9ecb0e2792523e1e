/** What the service counts about itself, for Prometheus. No label ever holds an address or a subject. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { BackgroundTaskRegistry } from "../core/background-tasks.ts";
import type { StoreStatistics } from "../store/store.ts";
import { taskFailures, taskGauges, type TaskMetric } from "./background/background-metrics.ts";

/** Where the SMTP doors count; every method returns at once and never throws. */
interface SmtpCounters {
  sessionOpened(): void;
  sessionClosed(): void;
  /** A mail was committed and answered with 250. */
  mailAccepted(sizeBytes: number): void;
  refused(reason: string): void;
}

/** One answered HTTP request. `route` is the route's pattern, never the path itself. */
interface HttpRequestOutcome {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** One attempt to hand something on: by which way, and whether it is done, waits, or has failed for good. */
interface AttemptOutcome {
  readonly route: string;
  readonly status: string;
}

/** The service's counters. */
export interface Metrics {
  /** A step of a mail's way to those who want it has taken so long. */
  readonly mailTimed: (step: string, durationMs: number) => void;
  readonly smtp: SmtpCounters;
  httpRequestDone(outcome: HttpRequestOutcome): void;
  messagesExpired(count: number): void;
  /** An attempt to hand something on has ended. */
  attempted(outcome: AttemptOutcome): void;
  /** A message was refused because the day's are used up. */
  readonly quotaRefused: (kind: string) => void;
  /** Adds the metrics of background tasks. */
  readonly watchTasks: (tasks: Pick<BackgroundTaskRegistry, "states">) => void;
  /** Everything in the text format of Prometheus, the store asked anew. */
  readonly text: () => Promise<string>;
  /** Media type of {@link Metrics.text}. */
  readonly contentType: string;
  /** Stops watching the event loop. */
  readonly close: () => void;
}

const loopResolutionMs = 20;

/** Counters that start at zero. `statistics` is asked on every {@link Metrics.text}. */
export function createMetrics(
  version: string,
  statistics: () => Promise<StoreStatistics>,
  waitingCount: () => number = () => 0,
): Metrics {
  const registry = new Registry();
  const smtp = smtpCounters(registry);
  const http = httpCounters(registry);
  const retired = new Counter({
    name: "restante_messages_retired_total",
    help: "Messages that servers' retention rules removed",
    registers: [registry],
  });
  const attempts = new Counter({
    name: "restante_delivery_attempts_total",
    help: "Attempts to hand something on, by way and by what followed: Sent, Queued (again), Failed",
    labelNames: ["route", "status"],
    registers: [registry],
  });
  const overQuota = new Counter({
    name: "restante_quota_refusals_total",
    help: "Messages refused because a limit was reached, by kind: email and sms of the day, storage quota of a server",
    labelNames: ["kind"],
    registers: [registry],
  });
  sample(registry, { name: "restante_waiting_searches", help: "Searches that wait for a match", read: waitingCount });
  const held = storeGauges(registry, statistics);
  const { close } = processGauges(registry, version);
  return {
    smtp,
    mailTimed: mailTimes(registry),
    httpRequestDone: http,
    messagesExpired: (count) => {
      retired.inc(count);
    },
    attempted: ({ route, status }) => {
      attempts.inc({ route, status });
    },
    quotaRefused: (kind) => {
      overQuota.inc({ kind });
    },
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

function smtpCounters(registry: Registry): SmtpCounters {
  const registers = [registry];
  const sessions = new Gauge({ name: "restante_smtp_sessions", help: "SMTP sessions that are open", registers });
  const opened = new Counter({ name: "restante_smtp_sessions_total", help: "SMTP sessions opened", registers });
  const accepted = new Counter({ name: "restante_mails_accepted_total", help: "Mails answered with 250", registers });
  const bytes = new Counter({ name: "restante_mail_bytes_total", help: "Bytes of accepted mails", registers });
  const refusals = new Counter({
    name: "restante_smtp_refusals_total",
    help: "Sessions, commands and mails refused, by reason",
    labelNames: ["reason"],
    registers,
  });
  return {
    sessionOpened() {
      sessions.inc();
      opened.inc();
    },
    sessionClosed() {
      sessions.dec();
    },
    mailAccepted(sizeBytes) {
      accepted.inc();
      bytes.inc(sizeBytes);
    },
    refused(reason) {
      refusals.inc({ reason });
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
    help: "Time from request to answer; searches that wait included",
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
    help: "Times of mails: last byte to commit (stored), commit to whoever waits (told) and to the first list (listed)",
    labelNames: ["step"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  return (step, durationMs) => {
    seconds.observe({ step }, durationMs / 1000);
  };
}

const storeRows: readonly (readonly [name: string, help: string, member: keyof StoreStatistics])[] = [
  ["restante_servers", "Servers that exist", "serverCount"],
  ["restante_messages", "Messages that are held", "messageCount"],
  ["restante_store_bytes", "Bytes of the store on its medium", "sizeBytes"],
  ["restante_purge_backlog", "Deleted messages whose space is still to be reclaimed", "purgeBacklogCount"],
  ["restante_index_backlog", "Messages that the text index does not know yet", "indexBacklogCount"],
  ["restante_outbox_backlog", "Deliveries that wait or are under way", "outboxBacklogCount"],
  ["restante_storage_full", "1 while mail is refused because the disk of the store is full, else 0", "storageFull"],
];

/** While the store is away, what it held last stands: everything else is worth knowing all the more. */
function storeGauges(registry: Registry, statistics: () => Promise<StoreStatistics>): () => Promise<void> {
  const gauges = storeRows.map(([name, help, member]) => {
    return { gauge: new Gauge({ name, help, registers: [registry] }), member };
  });
  const reachable = new Gauge({
    name: "restante_store_reachable",
    help: "1 while the store answers, else 0",
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

/** A gauge that is read when it is asked for. */
interface Sample {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

function sample(registry: Registry, { name, help, read }: Sample): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [], collect: () => gauge.set(read()) });
  registry.registerMetric(gauge);
}

function processGauges(registry: Registry, version: string): { close: () => void } {
  const build = new Gauge({
    name: "restante_build",
    help: "Always 1; which version runs on which Node",
    labelNames: ["version", "node"],
    registers: [registry],
  });
  build.set({ version, node: process.versions.node }, 1);
  const startedAt = Math.floor(Date.now() / 1000 - process.uptime());
  const sampleProcess = (name: string, help: string, read: () => number): void => {
    sample(registry, { name, help, read });
  };
  sampleProcess("process_start_time_seconds", "Start, in seconds since the Unix epoch", () => startedAt);
  sampleProcess("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss());
  sampleProcess("process_cpu_seconds_total", "Processor time used, user and system", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const delay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  delay.enable();
  sampleProcess("restante_event_loop_lag_seconds", "Latest that the event loop was since the last look", () => {
    const lagSeconds = Math.max(0, delay.max / 1e9 - loopResolutionMs / 1000);
    delay.reset();
    return lagSeconds;
  });
  return { close: () => void delay.disable() };
}
