import { createServer, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import { drainMsMax, type Limits } from "../../core/limits.ts";
import { LineConnection, type LineBounds } from "./line-connection.ts";
import { listenOn, type Hosts, type Listening } from "./listen-on.ts";

/** Connections that wait until another session of their address has signed in or ended, and the time limit for it. */
const waitingCountMax = 1000;
const waitingMsMax = 10_000;
/** Interval of the time-out check; one timer serves all connections. */
const sweepMs = 1000;

type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Log of a listener. */
export interface LineLog {
  readonly debug: LogLine;
  readonly error: LogLine;
}

/** Counters of a listener; methods return at once and never throw. */
export interface LineMetrics {
  sessionOpened(): void;
  sessionClosed(): void;
  refused(reason: string): void;
}

/** Options of {@link startLineListener}. */
export interface LineListenerOptions extends LineBounds {
  /** Name of the protocol, for log lines. */
  readonly protocol: string;
  readonly hosts: Hosts;
  /** Port to bind on every address; 0 for a free one. */
  readonly port: number;
  /** Whether the connection begins with a TLS handshake. */
  readonly implicitTls: boolean;
  /** Returns the current secure context, called for every handshake; undefined: TLS is not possible. */
  readonly secureContext: () => SecureContext | undefined;
  /** Bounds of sessions until they are authenticated; further connections wait for a short time. */
  readonly anonymousSessions: SlotBounds;
  /** Bounds of sessions that are authenticated. */
  readonly authenticatedSessions: SlotBounds;
  /** Response to a connection that has waited for too long, with its line end. */
  readonly refusal: string;
  readonly clock: Clock;
  readonly log: LineLog;
  readonly metrics: LineMetrics;
  readonly onTlsFailure: (error: Error | null) => void;
  /** Runs one session to its end. */
  readonly runSession: (connection: LineConnection) => Promise<void>;
}

/** Open listener. */
export interface LineListener {
  readonly port: number;
  readonly sessionCount: number;
  /**
   * Stops listening, and ends sessions after their running command; resolves when all connections are closed, after 10
   * seconds at the latest.
   */
  close(): Promise<void>;
}

/** Opens a listener; rejects, with nothing left open, when an address cannot be bound. */
export async function startLineListener(options: LineListenerOptions): Promise<LineListener> {
  const listener = new Listener(options);
  try {
    await listener.listen();
  } catch (error) {
    await listener.close();
    throw error;
  }
  return listener;
}

class Listener implements LineListener {
  readonly #options: LineListenerOptions;
  readonly #sessions = new Map<LineConnection, Promise<void>>();
  readonly #anonymous: SessionSlots;
  readonly #authenticated: SessionSlots;
  /** Connections that nothing has been read from, in the order of their arrival. */
  readonly #waiting = new Map<Socket, { readonly address: string; readonly cancel: () => void }>();
  #listening: Listening | null = null;
  #isSweeping = false;
  #closing: Promise<void> | null = null;

  constructor(options: LineListenerOptions) {
    this.#options = options;
    this.#anonymous = new SessionSlots(options.anonymousSessions);
    this.#authenticated = new SessionSlots(options.authenticatedSessions);
  }

  get port(): number {
    return this.#listening?.port ?? 0;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<void> {
    const { hosts, port, log, protocol } = this.#options;
    const onError = (error: Error): void => {
      log.error({ err: error }, `The ${protocol} listener failed`);
    };
    const accept = (socket: Socket): void => {
      this.#accept(socket);
    };
    // Half open: a client may close its side after its last command and still read the responses. Paused: a connection that
    // waits for its session has no buffers.
    const create = () => createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, accept);
    this.#listening = await listenOn(create, { hosts, port, onError });
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    this.#listening?.close();
    for (const [socket, { cancel }] of this.#waiting) {
      cancel();
      this.#refuse(socket);
    }
    this.#waiting.clear();
    for (const connection of this.#sessions.keys()) connection.shutDown();
    const cancel = this.#options.clock.after(drainMsMax, () => {
      for (const connection of this.#sessions.keys()) connection.destroy();
    });
    await Promise.all(this.#sessions.values());
    cancel();
  }

  #accept(socket: Socket): void {
    const address = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
    if (address === "" || this.#closing !== null) socket.destroy();
    else if (this.#anonymous.take(address)) this.#open(socket, address);
    else if (this.#waiting.size < waitingCountMax) this.#wait(socket, address);
    else this.#refuse(socket);
  }

  #wait(socket: Socket, address: string): void {
    // Counted when it is refused; a client that disconnects meanwhile needs no other handling.
    socket.on("error", () => undefined);
    const cancel = this.#options.clock.after(waitingMsMax, () => {
      this.#waiting.delete(socket);
      this.#refuse(socket);
    });
    this.#waiting.set(socket, { address, cancel });
  }

  #openWaiting(): void {
    if (this.#closing !== null) return;
    for (const [socket, { address, cancel }] of this.#waiting) {
      if (!socket.destroyed && !this.#anonymous.take(address)) continue;
      cancel();
      this.#waiting.delete(socket);
      if (!socket.destroyed) this.#open(socket, address);
    }
  }

  #refuse(socket: Socket): void {
    const { metrics, implicitTls, refusal } = this.#options;
    metrics.refused("too_many_sessions");
    // Counted above; a client that disconnects before the response needs no other handling.
    socket.on("error", () => undefined);
    socket.end(implicitTls ? "" : refusal, () => {
      socket.destroy();
    });
  }

  #open(socket: Socket, address: string): void {
    const { metrics } = this.#options;
    let slots = this.#anonymous;
    const onAuthenticated = (): boolean => {
      if (!this.#authenticated.take(address)) return false;
      slots.release(address);
      slots = this.#authenticated;
      this.#openWaiting();
      return true;
    };
    const connection = new LineConnection(socket, { ...this.#options, clientAddress: address, onAuthenticated });
    metrics.sessionOpened();
    const session = this.#run(connection).finally(() => {
      this.#sessions.delete(connection);
      slots.release(address);
      metrics.sessionClosed();
      this.#openWaiting();
    });
    this.#sessions.set(connection, session);
    this.#sweepLater();
  }

  async #run(connection: LineConnection): Promise<void> {
    const { implicitTls, secureContext, log, metrics, protocol, runSession } = this.#options;
    try {
      if (implicitTls) {
        const context = secureContext();
        if (context === undefined) throw new Error("no certificate");
        await connection.secure(context);
      }
      if (!connection.isClosed) await runSession(connection);
      await connection.finish();
    } catch (error) {
      log.error({ err: error }, `A ${protocol} session failed`);
      metrics.refused("internal");
      connection.destroy();
    }
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.after(sweepMs, () => {
      this.#isSweeping = false;
      const now = this.#options.clock.monotonicMs();
      for (const connection of this.#sessions.keys()) connection.sweep(now);
      if (this.#sessions.size > 0) this.#sweepLater();
    });
  }
}

/** Bounds of the sessions of one kind. */
interface SlotBounds {
  readonly countMax: number;
  /** Sessions of one client address. */
  readonly countPerAddressMax: number;
}

/** Sessions of one kind that a listener has, by client address. */
class SessionSlots {
  readonly #bounds: SlotBounds;
  readonly #countByAddress = new Map<string, number>();
  #count = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
  }

  /** Takes a slot; returns false when there is none for this address. */
  take(address: string): boolean {
    const count = this.#countByAddress.get(address) ?? 0;
    if (this.#count >= this.#bounds.countMax || count >= this.#bounds.countPerAddressMax) return false;
    this.#count += 1;
    this.#countByAddress.set(address, count + 1);
    return true;
  }

  /** Returns a slot that was taken. */
  release(address: string): void {
    const left = (this.#countByAddress.get(address) ?? 1) - 1;
    this.#count -= 1;
    if (left === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, left);
  }
}

/**
 * Returns the bounds of a listener for mail clients: those of SMTP before a client signs in, and wider ones for clients that
 * have proved who they are, which keep connections open to be notified.
 */
export function sessionBounds(
  limits: Limits,
): Pick<LineListenerOptions, "anonymousSessions" | "authenticatedSessions"> {
  return {
    anonymousSessions: {
      countMax: limits.smtpSessionCountMax,
      countPerAddressMax: limits.smtpSessionCountPerAddressMax,
    },
    authenticatedSessions: {
      countMax: limits.mailboxSessionCountMax,
      countPerAddressMax: limits.mailboxSessionCountPerAddressMax,
    },
  };
}
