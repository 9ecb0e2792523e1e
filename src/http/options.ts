/** Options of the HTTP server. */
import type { BackgroundTaskState } from "../core/background-tasks.ts";
import type { ConnectionLimits } from "../core/limits.ts";
import type { MemoryObserver } from "../core/process-resources.ts";
import type { Context } from "../operations/context.ts";
import type { HostRules } from "./host-guard.ts";
import type { WebUi } from "./web/assets.ts";
import type { ListEnvelope } from "./wire/message-json.ts";

/** State of the service, for probes, metrics and operators. */
export interface ServiceHealth {
  /** Returns whether the process can work at all. */
  readonly live: () => boolean;
  /** Returns whether the store responds and the listeners are open. */
  readonly ready: () => Promise<boolean>;
  /** Returns the metrics in the Prometheus text format 0.0.4. */
  readonly metricsText: () => Promise<string>;
  /** Returns the state of every background task, by name. */
  readonly taskStates: () => readonly BackgroundTaskState[];
}

/** A request that was responded to. Holds no address, no identifier and no query. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the route as the table has it, or `unmatched`. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the complete header section until the response is handed over. */
  readonly durationMs: number;
}

/** A request that failed for a reason other than the client. */
export interface FailedRequest {
  /** Also sent to the client, in `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly error: unknown;
}

/** Observer of every response, for logs and metrics. Must be quick and must not throw. */
export interface RequestObserver {
  readonly answered: (request: AnsweredRequest) => void;
  readonly failed: (request: FailedRequest) => void;
}

/** Options for {@link createHttpApp}. */
export interface HttpOptions {
  readonly context: Context;
  readonly listEnvelope: ListEnvelope;
  readonly health: ServiceHealth;
  readonly observer: RequestObserver;
  readonly hostRules: HostRules;
  /** Host names whose requests are those of `/providers/<name>`, with the name; none unless given. */
  readonly interceptedHosts?: ReadonlyMap<string, string>;
  /** Receives the bytes of requests and answers in flight; nothing unless given. */
  readonly memory?: MemoryObserver;
  /**
   * Whether requests from loopback reach `/metrics` without a key. Must be false behind a reverse proxy on the same
   * machine, for which every request comes from loopback.
   */
  readonly trustLoopback: boolean;
  /**
   * Returns whether an address is a reverse proxy whose `Forwarded` and `X-Forwarded-For` are trusted; none unless
   * given.
   */
  readonly isProxy?: (address: string) => boolean;
  readonly connectionLimits?: ConnectionLimits;
  /** The web UI and its sessions; absent when there is none. */
  readonly web?: WebUi;
}
