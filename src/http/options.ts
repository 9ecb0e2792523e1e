/** What the HTTP door needs from those who open it. */
import type { BackgroundTaskState } from "../core/background-tasks.ts";
import type { ConnectionLimits } from "../core/limits.ts";
import type { MemoryObserver } from "../core/memory-observer.ts";
import type { Context } from "../operations/context.ts";
import type { HostRules } from "./host-guard.ts";
import type { WebUi } from "./web/web-ui.ts";
import type { ListEnvelope } from "./wire/list-encoder.ts";

/** State of the service, for probes, metrics and operators. */
export interface ServiceHealth {
  /** Whether the process can do anything at all. */
  readonly live: () => boolean;
  /** Whether the store answers and the listeners are open. */
  readonly ready: () => Promise<boolean>;
  /** The metrics in the Prometheus text format 0.0.4. */
  readonly metricsText: () => Promise<string>;
  /** Returns the state of every background task, by name. */
  readonly taskStates: () => readonly BackgroundTaskState[];
}

/** One answered request. Holds no address, no identifier and no query. */
export interface AnsweredRequest {
  readonly method: string;
  /** The route's path as the table has it, or `unmatched`. */
  readonly route: string;
  readonly status: number;
  /** From the complete header section to the answer being handed over. */
  readonly durationMs: number;
}

/** A request that failed through no fault of the caller. */
export interface FailedRequest {
  /** Also told to the caller, in `X-Request-Id`. */
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly error: unknown;
}

/** Hears of every request, when it is answered; must be quick and must not throw. Serves log and metrics. */
export interface RequestObserver {
  readonly answered: (request: AnsweredRequest) => void;
  readonly failed: (request: FailedRequest) => void;
}

/** Everything about one HTTP door. */
export interface HttpOptions {
  readonly context: Context;
  readonly listEnvelope: ListEnvelope;
  readonly health: ServiceHealth;
  readonly observer: RequestObserver;
  readonly hostRules: HostRules;
  /** Receives the bytes of requests and answers in flight; nothing unless given. */
  readonly memory?: MemoryObserver;
  /**
   * Whether requests from loopback reach `/metrics` without a key. Switch it off behind a reverse proxy on the same
   * machine, for which every request comes from loopback.
   */
  readonly trustLoopback: boolean;
  /** Whether this is the address of a reverse proxy whose `Forwarded` and `X-Forwarded-For` are believed; none unless given. */
  readonly isProxy?: (address: string) => boolean;
  readonly connectionLimits?: ConnectionLimits;
  /** The web UI and who is signed in to it; absent where there is none. */
  readonly web?: WebUi;
}
