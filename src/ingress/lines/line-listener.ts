import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import { LineConnection, type LineBounds } from "./line-connection.ts";

/** Time limit for running commands when the listener closes. */
const drainMsMax = 10_000;
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
  readonly host: string;
  /** Port to bind; 0 for a free one. */
  readonly port: number;
  /** Whether the connection begins with a TLS handshake. */
  readonly implicitTls: boolean;
  /** Returns the current secure context, called for every handshake; undefined: TLS is not possible. */
  readonly secureContext: () => SecureContext | undefined;
  readonly sessionCountMax: number;
  readonly sessionCountPerAddressMax: number;
  /** Response to a connection over these limits, with its line end. */
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

/** Opens a listener; rejects when the address cannot be bound. */
export async function startLineListener(options: LineListenerOptions): Promise<LineListener> {
  const listener = new Listener(options);
  await listener.listen();
  return listener;
}

class Listener implements LineListener {
  readonly #options: LineListenerOptions;
  readonly #server: Server;
  readonly #sessions = new Map<LineConnection, Promise<void>>();
  readonly #countByAddress = new Map<string, number>();
  #isSweeping = false;
  #closing: Promise<void> | null = null;

  constructor(options: LineListenerOptions) {
    this.#options = options;
    // Half open: a client may close its side after its last command and still read the responses.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#accept(socket);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<void> {
    const { host, port, log, protocol } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.#server.on("error", (error) => {
      log.error({ err: error }, `The ${protocol} listener failed`);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    this.#server.close();
    for (const connection of this.#sessions.keys()) connection.shutDown();
    const cancel = this.#options.clock.after(drainMsMax, () => {
      for (const connection of this.#sessions.keys()) connection.destroy();
    });
    await Promise.all(this.#sessions.values());
    cancel();
  }

  #accept(socket: Socket): void {
    const address = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
    const { sessionCountMax, sessionCountPerAddressMax } = this.#options;
    const count = this.#countByAddress.get(address) ?? 0;
    if (address === "" || this.#closing !== null) socket.destroy();
    else if (this.#sessions.size >= sessionCountMax || count >= sessionCountPerAddressMax) this.#refuse(socket);
    else this.#open(socket, address);
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
    const connection = new LineConnection(socket, { ...this.#options, clientAddress: address });
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1);
    metrics.sessionOpened();
    const session = this.#run(connection).finally(() => {
      this.#sessions.delete(connection);
      const left = (this.#countByAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#countByAddress.delete(address);
      else this.#countByAddress.set(address, left);
      metrics.sessionClosed();
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
