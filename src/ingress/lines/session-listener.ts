import { createServer, type Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { drainMsMax } from "../../core/limits.ts";
import { listenOn, type Hosts, type Listening } from "./listen-on.ts";

/** Interval of the time-out check; one timer serves all connections. */
const sweepMs = 1000;

type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Log of a listener, such as a pino logger; receives no addresses, passwords or mail content. */
export interface ListenerLog {
  readonly debug: LogLine;
  readonly error: LogLine;
}

/** Counters of a listener; methods return at once and never throw. */
export interface ListenerMetrics {
  sessionOpened(): void;
  sessionClosed(): void;
  /** Counts a refused connection, session or command. */
  refused(reason: string): void;
}

/** Options of {@link SessionListener}. */
export interface SessionListenerOptions {
  /** Name of the protocol, for log lines. */
  readonly protocol: string;
  readonly hosts: Hosts;
  /** Port to bind on every address; 0 for a free one. */
  readonly port: number;
  /** Whether connections begin with a TLS handshake, so that a refusal cannot be written. */
  readonly implicitTls: boolean;
  /** Whether nothing is read from a connection, which then has no buffers, before its session reads. */
  readonly pausesConnections: boolean;
  /** Response to a refused connection, with its line end. */
  readonly refusal: string;
  readonly clock: Clock;
  readonly log: ListenerLog;
  readonly metrics: ListenerMetrics;
}

/** Open listener. */
export interface OpenListener {
  /** First address as bound. */
  readonly address: string;
  /** Port as bound, the same on every address. */
  readonly port: number;
  /** Number of open sessions. */
  readonly sessionCount: number;
  /**
   * Stops listening, and ends sessions after their running command. Resolves when all are closed, at the latest after
   * `drainMsMax`. Repeated calls return the same promise.
   */
  close(): Promise<void>;
}

/** Connection of a session, as its listener needs it. */
interface ListenerConnection {
  /** Ends what exceeds a time limit; called every second with the monotonic time. */
  sweep(now: number): void;
  /** Ends the session after its running command. */
  shutDown(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

/** Connections of a listener that have no session yet. */
export interface NewConnections {
  /** Receives each connection with the address of its client. */
  readonly accept: (socket: Socket, address: string) => void;
  /** Ends those that still have no session; none are accepted from then on. */
  readonly endAll: () => void;
}

/** Listener of a protocol with sessions. */
export class SessionListener<Connection extends ListenerConnection> implements OpenListener {
  readonly #options: SessionListenerOptions;
  readonly #newConnections: NewConnections;
  readonly #connections = new Set<Connection>();
  #listening: Listening | null = null;
  #isSweeping = false;
  #closing: Promise<void> | null = null;
  #onEmpty: () => void = () => undefined;

  constructor(options: SessionListenerOptions, newConnections: NewConnections) {
    this.#options = options;
    this.#newConnections = newConnections;
  }

  get address(): string {
    return this.#listening?.address ?? "";
  }

  get port(): number {
    return this.#listening?.port ?? 0;
  }

  get sessionCount(): number {
    return this.#connections.size;
  }

  /** Opens the listener; rejects, with nothing left open, when an address cannot be bound. */
  async listen(): Promise<void> {
    const { hosts, port, log, protocol, pausesConnections } = this.#options;
    const onError = (error: Error): void => {
      log.error({ err: error }, `The ${protocol} listener failed`);
    };
    const accept = (socket: Socket): void => {
      const address = shownAddress(socket.remoteAddress ?? "");
      // Without an address, the client disconnected before the connection was accepted.
      if (address === "" || this.#closing !== null) socket.destroy();
      else this.#newConnections.accept(socket, address);
    };
    // Half open: a client may close its side after its last command and still read the responses.
    const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: pausesConnections };
    this.#listening = await listenOn(() => createServer(options, accept), { hosts, port, onError });
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  /** Runs the session of a connection, which then must be closed; logs an error, and calls `onEnd` at the end. */
  run(connection: Connection, session: () => Promise<void>, onEnd: () => void): void {
    this.#connections.add(connection);
    this.#options.metrics.sessionOpened();
    this.#sweepLater();
    void this.#run(connection, session).finally(() => {
      this.#connections.delete(connection);
      this.#options.metrics.sessionClosed();
      onEnd();
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  /** Refuses a connection that has no session. */
  refuse(socket: Socket): void {
    const { metrics, implicitTls, refusal } = this.#options;
    metrics.refused("too_many_sessions");
    // Counted above; a client that disconnects before the response needs no other handling.
    socket.on("error", () => undefined);
    socket.end(implicitTls ? "" : refusal, () => {
      socket.destroy();
    });
  }

  async #run(connection: Connection, session: () => Promise<void>): Promise<void> {
    const { log, metrics, protocol } = this.#options;
    try {
      await session();
    } catch (error) {
      log.error({ err: error }, `${protocol} session failed`);
      metrics.refused("internal");
      connection.destroy();
    }
  }

  async #drain(): Promise<void> {
    this.#listening?.close();
    this.#newConnections.endAll();
    for (const connection of this.#connections) connection.shutDown();
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#options.clock.after(drainMsMax, resolve);
      this.#onEmpty = () => {
        stopWaiting();
        resolve();
      };
    });
    for (const connection of this.#connections) connection.destroy();
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.after(sweepMs, () => {
      this.#isSweeping = false;
      const now = this.#options.clock.monotonicMs();
      for (const connection of this.#connections) connection.sweep(now);
      if (this.#connections.size > 0) this.#sweepLater();
    });
  }
}

/** Returns the usual spelling of an address: IPv4-mapped IPv6 addresses become IPv4. */
export function shownAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Bounds of the sessions of one kind. */
export interface SlotBounds {
  readonly countMax: number;
  /** Sessions of one client address. */
  readonly countPerAddressMax: number;
}

/** Sessions of one kind that a listener has, by client address. */
export class SessionSlots {
  readonly #bounds: SlotBounds;
  readonly #countByAddress = new Map<string, number>();
  #count = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  /** Returns whether an address has all the slots that one may have. */
  isFullFor(address: string): boolean {
    return (this.#countByAddress.get(address) ?? 0) >= this.#bounds.countPerAddressMax;
  }

  /** Takes a slot; returns the function that returns it, once, or null when there is none for this address. */
  take(address: string): (() => void) | null {
    if (this.#count >= this.#bounds.countMax || this.isFullFor(address)) return null;
    this.#add(address, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(address, -1);
      isTaken = false;
    };
  }

  #add(address: string, change: 1 | -1): void {
    const count = (this.#countByAddress.get(address) ?? 0) + change;
    this.#count += change;
    if (count === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, count);
  }
}
