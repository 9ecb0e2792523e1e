/** Metrics of the service for Prometheus. Labels never contain addresses or subjects. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BackgroundTaskRegistry, BackgroundTaskState } from "../../core/background-tasks.ts";
import { type MemoryKind, residentBytes } from "../../core/process-resources.ts";
import type { AnsweredRequest } from "../../http/options.ts";
import type { StoreStatistics } from "../../store/store.ts";
import { Meters } from "./meters.ts";

/** Backlog of deliveries of callbacks. */
interface CallbackBacklog {
  readonly pendingCount: () => number;
  readonly oldestWaitingMs: () => number;
}

/** Metrics of the service. Methods that count return at once and never throw. */
export type Metrics = ReturnType<typeof openMetrics>;

/** Creates the metrics. `statistics` is called on every `text`. */
export function createMetrics(...dependencies: Parameters<typeof openMetrics>): Metrics {
  return openMetrics(...dependencies);
}

const loopResolutionMs = 20;

function openMetrics(version: string, statistics: () => Promise<StoreStatistics>, waitingCount = () => 0) {
  const meters = new Meters();
  meters.sample({ name: "restante_waiting_searches", help: "Searches waiting for a match", read: waitingCount });
  const readStore = storeGauges(meters, statistics);
  return {
    ...sessionMetrics(meters),
    ...messageMetrics(meters),
    ...requestMetrics(meters),
    ...memoryMetrics(meters),
    ...callbackMetrics(meters),
    /** Registers the metrics of background tasks, read from their registry at every scrape. */
    watchTasks: watchTasks.bind(null, meters),
    /** Returns all metrics in the text format of Prometheus, with current statistics of the store. */
    text: async () => {
      await readStore();
      return meters.registry.metrics();
    },
    /** Media type of `text`. */
    contentType: meters.registry.contentType as string,
    /** Stops monitoring the event loop. */
    close: processGauges(meters, version),
  };
}

/** Creates the metrics of SMTP, IMAP and POP3 sessions. */
function sessionMetrics(meters: Meters) {
  const open = meters.gauge("restante_smtp_sessions", "Open SMTP sessions");
  const opened = meters.count("restante_smtp_sessions_total", "SMTP sessions opened");
  const accepted = meters.count("restante_mails_accepted_total", "Mails answered with 250");
  const bytes = meters.count("restante_mail_bytes_total", "Bytes of accepted mails");
  const refused = meters.count(
    "restante_smtp_refusals_total",
    "SMTP sessions, commands and mails rejected, by reason",
    "reason",
  );
  const text = "clients that read mail";
  const readers = meters.gauge("restante_mail_access_sessions", `Open sessions of ${text}, by protocol`, "protocol");
  const read = meters.count("restante_mail_access_sessions_total", `Sessions of ${text}, by protocol`, "protocol");
  const refusal = `Sessions and commands of ${text} rejected, by protocol and reason`;
  const refusals = meters.count("restante_mail_access_refusals_total", refusal, "protocol", "reason");
  return {
    smtp: {
      sessionOpened: () => {
        open({}, 1);
        opened({});
      },
      sessionClosed: () => open({}, -1),
      /** Counts a mail that was committed and answered with 250. */
      mailAccepted: (sizeBytes: number) => {
        accepted({});
        bytes({}, sizeBytes);
      },
      refused: (reason: string) => refused({ reason }),
    },
    /** Returns the counters of a protocol for reading mail. */
    mailAccess: (protocol: "pop3" | "imap") => ({
      sessionOpened: () => {
        readers({ protocol }, 1);
        read({ protocol });
      },
      sessionClosed: () => readers({ protocol }, -1),
      refused: (reason: string) => refusals({ protocol, reason }),
    }),
  };
}

/** Creates the metrics of messages: their way, retention, quotas, fault rules and scans. */
function messageMetrics(meters: Meters) {
  const seconds = meters.time(
    "restante_mail_seconds",
    "Time of a mail from its last byte to commit (stored), and from commit to notification (told)",
    { labelNames: ["step"], buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5] },
  );
  const expired = meters.count("restante_messages_retired_total", "Messages removed by the retention rules of servers");
  const removed = meters.count("restante_idle_servers_removed_total", "Servers removed because they had no traffic");
  const overQuota = meters.count(
    "restante_quota_refusals_total",
    "Messages rejected because a limit was reached, by kind: server (storage of a server or team), email and sms (daily), outbound (hourly), and those of a team: team_email, team_sms, team_outbound",
    "kind",
  );
  const attempts =
    "Delivery attempts of outbox entries, by route and resulting status: Sent, Queued (to be retried), Failed";
  const hits = "Hits of fault rules, by scope (server, service), stage and main effect";
  const scans = "Scans of the links of mails by link scanners, by outcome: scanned, deleted (the mail), dropped";
  return {
    /** Records the duration of one step of a mail: `stored` or `told`. */
    mailTimed: (step: string, durationMs: number) => seconds({ step }, durationMs),
    messagesExpired: (count: number) => expired({}, count),
    serverRemoved: () => removed({}),
    /** Counts a message that exceeded a quota. */
    quotaRefused: (kind: string) => overQuota({ kind }),
    /** Counts a delivery attempt: its route, and the status of the outbox entry afterwards. */
    attempted: meters.count("restante_delivery_attempts_total", attempts, "route", "status"),
    /** Counts a hit of a fault rule of a server or the service. */
    faultHit: meters.count("restante_fault_hits_total", hits, "scope", "stage", "action"),
    /** Counts a scan of the links of a mail; `dropped`: every attempt has failed. */
    linksScanned: meters.count("restante_link_scans_total", scans, "outcome"),
  };
}

function requestMetrics(meters: Meters) {
  const answered = "HTTP requests answered, by method, route and status";
  const requests = meters.count("restante_http_requests_total", answered, "method", "route", "status");
  const seconds = meters.time(
    "restante_http_request_seconds",
    "Time from request to response, including waiting searches",
    { labelNames: [], buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] },
  );
  return {
    httpRequestDone: ({ method, route, status, durationMs }: AnsweredRequest) => {
      requests({ method, route, status: String(status) });
      seconds({}, durationMs);
    },
  };
}

function memoryMetrics(meters: Meters) {
  const budgets: { readonly kind: MemoryKind; readonly read: () => number }[] = [];
  let waitingMails = (): number => 0;
  meters.sample({
    name: "restante_bytes_in_flight",
    help: "Bytes held by memory budgets, by kind: mails of SMTP, reading and storing of mail, HTTP requests and responses",
    label: "kind",
    read: () => {
      const bytes = new Map<string, number>();
      for (const { kind, read } of budgets) bytes.set(kind, (bytes.get(kind) ?? 0) + read());
      return bytes;
    },
  });
  let lostSpans: ReadonlyMap<string, number> = new Map();
  meters.sample({
    name: "restante_trace_spans_lost_total",
    help: "Spans of traces that were lost, by reason: queue_full, refused (by the receiver), stop (of the service)",
    label: "reason",
    isCounter: true,
    read: () => lostSpans,
  });
  const help = "Large mails that wait for memory to be read";
  meters.sample({ name: "restante_waiting_mails", help, read: () => waitingMails() });
  return {
    /** Adds a memory budget, whose bytes in use `read` returns. */
    watchMemory: (kind: MemoryKind, read: () => number) => void budgets.push({ kind, read }),
    /** Sets the numbers of lost spans by reason; none until then. */
    watchLostSpans: (lost: ReadonlyMap<string, number>) => void (lostSpans = lost),
    /** Sets the source of the number of mails that wait for memory; 0 until then. */
    watchWaitingMails: (read: () => number) => void (waitingMails = read),
  };
}

function callbackMetrics(meters: Meters) {
  let backlog: CallbackBacklog = { pendingCount: () => 0, oldestWaitingMs: () => 0 };
  meters.sample({
    name: "restante_callbacks_pending",
    help: "Deliveries of callbacks that are neither delivered nor failed, counted every five seconds",
    read: () => backlog.pendingCount(),
  });
  meters.sample({
    name: "restante_callbacks_oldest_due_seconds",
    help: "Time since which the oldest pending delivery of a callback is due",
    read: () => backlog.oldestWaitingMs() / 1000,
  });
  const attempts =
    "Attempts of callbacks, by kind (webhook, event, inbound, confirmation, sms, status) and resulting status: Delivered, Pending (to be retried), Failed";
  return {
    /** Counts an attempt of a delivery: the kind of its content, and its status afterwards. */
    callbackAttempted: meters.count("restante_callback_attempts_total", attempts, "kind", "outcome"),
    /** Sets the source of the gauges of pending deliveries; 0 until then. */
    watchCallbacks: (watched: CallbackBacklog) => void (backlog = watched),
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
function storeGauges(meters: Meters, statistics: () => Promise<StoreStatistics>): () => Promise<void> {
  let held: Partial<StoreStatistics> = {};
  let isReachable = false;
  for (const [name, help, member] of storeRows) meters.sample({ name, help, read: () => held[member] ?? 0 });
  const help = "1 while the store is reachable, else 0";
  meters.sample({ name: "restante_store_reachable", help, read: () => Number(isReachable) });
  return async () => {
    try {
      held = await statistics();
      isReachable = true;
    } catch {
      // The gauge reports it; the store's own calls log the reason.
      isReachable = false;
    }
  };
}

type TaskRow = readonly [name: string, help: string, read: (state: BackgroundTaskState) => number | null];

/** Metrics of background tasks, with a series for each; null where a task has no value. */
const taskRows: readonly TaskRow[] = [
  ["failures_total", "Failed rounds of background tasks since the start", ({ failureCount }) => failureCount],
  [
    "last_success_timestamp_seconds",
    "End of the last successful round of a background task, in seconds since the Unix epoch",
    ({ lastSuccessAt }) => (lastSuccessAt === null ? null : lastSuccessAt / 1000),
  ],
  ["failing", "1 while the last round of a background task failed, else 0", ({ state }) => Number(state === "failing")],
  ["backlog", "Items waiting for a background task", ({ backlog }) => backlog],
  [
    "oldest_waiting_seconds",
    "Age of the oldest item waiting for a background task",
    ({ oldestWaitingMs }) => (oldestWaitingMs === null ? null : oldestWaitingMs / 1000),
  ],
];

function watchTasks(meters: Meters, tasks: Pick<BackgroundTaskRegistry, "states">): void {
  for (const [name, help, valueOf] of taskRows) {
    const read = (): ReadonlyMap<string, number> =>
      new Map(
        tasks.states().flatMap((state) => {
          const value = valueOf(state);
          return value === null ? [] : [[state.task, value] as const];
        }),
      );
    meters.sample({
      name: `restante_background_${name}`,
      help,
      label: "task",
      isCounter: name === "failures_total",
      read,
    });
  }
}

/** Registers the gauges of the process; the returned function stops monitoring the event loop. */
function processGauges(meters: Meters, version: string): () => void {
  const build = "Always 1; labels with the versions of restante and Node";
  meters.gauge("restante_build", build, "version", "node")({ version, node: process.versions.node }, 1);
  const startedAt = Math.floor(Date.now() / 1000 - process.uptime());
  const delay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  delay.enable();
  const rows: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ["process_start_time_seconds", "Start, in seconds since the Unix epoch", () => startedAt],
    ["process_resident_memory_bytes", "Resident memory", () => residentBytes()],
    [
      "process_cpu_seconds_total",
      "Processor time used, user and system",
      () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
    ],
    [
      "restante_event_loop_lag_seconds",
      "Longest delay of the event loop since the last scrape",
      () => {
        const lagSeconds = Math.max(0, delay.max / 1e9 - loopResolutionMs / 1000);
        delay.reset();
        return lagSeconds;
      },
    ],
  ];
  for (const [name, help, read] of rows) meters.sample({ name, help, read });
  return () => void delay.disable();
}
