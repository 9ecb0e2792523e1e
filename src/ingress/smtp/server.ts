import { createServer, type Socket } from "node:net";
import { ByteBudget } from "../../core/byte-budget.ts";
import { drainMsMax } from "../../core/limits.ts";
import { listenOn, type Listening } from "../lines/listen-on.ts";
import type { SmtpServer, SmtpServerOptions } from "./options.ts";
import { shownAddress, takeProxyHeader, type Client } from "./proxied-socket.ts";
import { tooManySessions } from "./reply.ts";
import { runSession } from "./run-session.ts";
import { Session, type SessionContext } from "./session.ts";

/** Interval of the time-out check; one timer serves all sessions. */
const sweepMs = 1000;

/** Opens an SMTP listener; rejects, with nothing left open, when an address cannot be bound. */
export async function startSmtpServer(options: SmtpServerOptions): Promise<SmtpServer> {
  const listener = new SmtpListener(options);
  try {
    await listener.listen();
  } catch (error) {
    await listener.close();
    throw error;
  }
  return listener;
}

class SmtpListener implements SmtpServer {
  readonly #options: SmtpServerOptions;
  readonly #context: SessionContext;
  readonly #sessions = new Set<Session>();
  /** Connections of load balancers before their PROXY header. */
  readonly #awaitingHeader = new Set<Socket>();
  /** Number of sessions, without evicted ones. */
  #slotCount = 0;
  readonly #sessionCountByAddress = new Map<string, number>();
  #listening: Listening | null = null;
  #isSweeping = false;
  #hasWarnedOfHeader = false;
  #closing: Promise<void> | null = null;
  #onEmpty: () => void = () => undefined;

  constructor(options: SmtpServerOptions) {
    this.#options = options;
    const { smtpBytesInFlightMax, messageBytesMax } = options.limits;
    const budget = new ByteBudget(Math.max(smtpBytesInFlightMax, messageBytesMax), (isExhausted) => {
      if (isExhausted) options.log.warn({ smtpBytesInFlightMax }, "SMTP defers mail: memory budget exhausted");
      else options.log.info({ smtpBytesInFlightMax }, "SMTP accepts mail again: memory budget has room");
    });
    options.memory?.watch("smtp_mails", () => budget.bytesUsed);
    this.#context = { ...options, budget, delayed: new Set() };
  }

  get address(): string {
    return this.#listening?.address ?? "";
  }

  get port(): number {
    return this.#listening?.port ?? 0;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<void> {
    const { hosts, port, log } = this.#options;
    const onError = (error: Error): void => {
      log.error({ err: error }, "The SMTP listener failed");
    };
    const accept = (socket: Socket): void => {
      this.#accept(socket);
    };
    // Half open: a client may close its side after its last command and still read the replies.
    const create = () => createServer({ allowHalfOpen: true, noDelay: true }, accept);
    this.#listening = await listenOn(create, { hosts, port, onError });
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    this.#listening?.close();
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const socket of this.#awaitingHeader) socket.destroy();
    for (const session of this.#sessions) session.connection.shutDown();
    if (this.#sessions.size === 0) return;
    let stopWaiting = (): void => undefined;
    const deadline = new Promise<void>((resolve) => {
      stopWaiting = this.#options.clock.after(drainMsMax, resolve);
    });
    await Promise.race([empty, deadline]);
    stopWaiting();
    for (const session of this.#sessions) session.connection.destroy();
  }

  #accept(socket: Socket): void {
    const address = shownAddress(socket.remoteAddress ?? "");
    if (address === "") {
      // The client disconnected before the connection was accepted.
      socket.destroy();
    } else if (this.#options.isProxy(address)) {
      this.#awaitHeader({ socket, address });
    } else {
      this.#acceptClient({ socket, address });
    }
  }

  #awaitHeader(proxy: Client): void {
    const { socket } = proxy;
    if (this.#sessions.size + this.#awaitingHeader.size >= this.#options.limits.smtpSessionCountMax) {
      this.#refuse(socket);
      return;
    }
    this.#awaitingHeader.add(socket);
    takeProxyHeader(socket, this.#options.clock, (outcome) => {
      this.#awaitingHeader.delete(socket);
      if (typeof outcome === "object")
        this.#acceptClient({ socket, address: shownAddress(outcome.address ?? proxy.address) });
      else this.#dropWithoutHeader(socket, outcome);
    });
  }

  #dropWithoutHeader(socket: Socket, outcome: "missing" | "left"): void {
    if (outcome === "missing") {
      const { log, metrics } = this.#options;
      metrics.refused("proxy_header");
      if (!this.#hasWarnedOfHeader)
        log.warn({}, "A connection from one of RESTANTE_SMTP_PROXIES began without a PROXY header");
      this.#hasWarnedOfHeader = true;
    }
    // The connection closes; `missing` is counted above, and a load balancer that disconnects is not an error.
    socket.on("error", () => undefined);
    socket.destroy();
  }

  #acceptClient(client: Client): void {
    if (!this.#isBelowLimits(client.address)) this.#evictDelayed(client.address);
    if (this.#isBelowLimits(client.address)) this.#open(client);
    else this.#refuse(client.socket);
  }

  #isBelowLimits(address: string): boolean {
    const { smtpSessionCountMax, smtpSessionCountPerAddressMax } = this.#options.limits;
    const sessionCount = this.#sessionCountByAddress.get(address) ?? 0;
    return this.#slotCount < smtpSessionCountMax && sessionCount < smtpSessionCountPerAddressMax;
  }

  /** Ends the session that a fault has delayed for longest, so that faults take no session from others. */
  #evictDelayed(address: string): void {
    const isAddressFull =
      (this.#sessionCountByAddress.get(address) ?? 0) >= this.#options.limits.smtpSessionCountPerAddressMax;
    for (const session of this.#context.delayed) {
      if (isAddressFull && session.clientAddress !== address) continue;
      session.evict();
      return;
    }
  }

  #open(client: Client): void {
    const { metrics } = this.#options;
    let hasSlot = true;
    const releaseSlot = (): void => {
      if (hasSlot) this.#countSession(client.address, -1);
      hasSlot = false;
    };
    const session = new Session(client, this.#context, releaseSlot);
    this.#sessions.add(session);
    this.#countSession(client.address, 1);
    metrics.sessionOpened();
    this.#sweepLater();
    void this.#run(session, releaseSlot);
  }

  async #run(session: Session, releaseSlot: () => void): Promise<void> {
    await runSession(session);
    releaseSlot();
    this.#sessions.delete(session);
    this.#options.metrics.sessionClosed();
    if (this.#sessions.size === 0) this.#onEmpty();
  }

  #refuse(socket: Socket): void {
    this.#options.metrics.refused("too_many_sessions");
    // Counted above; a client that disconnects before the reply needs no other handling.
    socket.on("error", () => undefined);
    socket.end(this.#options.implicitTls ? "" : tooManySessions.wire, () => {
      socket.destroy();
    });
  }

  #countSession(address: string, change: 1 | -1): void {
    this.#slotCount += change;
    const sessionCount = (this.#sessionCountByAddress.get(address) ?? 0) + change;
    if (sessionCount === 0) this.#sessionCountByAddress.delete(address);
    else this.#sessionCountByAddress.set(address, sessionCount);
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.after(sweepMs, () => {
      this.#isSweeping = false;
      const now = this.#options.clock.monotonicMs();
      for (const session of this.#sessions) session.connection.sweep(now);
      if (this.#sessions.size > 0) this.#sweepLater();
    });
  }
}
