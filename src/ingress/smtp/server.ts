import type { Socket } from "node:net";
import { ByteBudget } from "../../core/byte-budget.ts";
import { isPublicAddress, holderNetworks, networkOf } from "../../core/ip-address.ts";
import {
  type NewConnections,
  type OpenListener,
  SessionListener,
  SessionSlots,
  shownAddress,
} from "../lines/session-listener.ts";
import type { SmtpServerOptions } from "./options.ts";
import { takeProxyHeader, type Client } from "./proxied-socket.ts";
import { tooManySessions } from "./reply.ts";
import { runSession } from "./run-session.ts";
import { Session, type SessionContext } from "./session.ts";

/** Opens an SMTP listener; rejects, with nothing left open, when an address cannot be bound. Pending mail is stored before it closes. */
export async function startSmtpServer(options: SmtpServerOptions): Promise<OpenListener> {
  const connections = new SmtpConnections(options);
  await connections.listener.listen();
  return connections.listener;
}

/** Connections of a listener, of which some send a PROXY header before their sessions. */
class SmtpConnections implements NewConnections {
  readonly listener: SessionListener<Session["connection"]>;
  readonly #options: SmtpServerOptions;
  readonly #context: SessionContext;
  /** Sessions without evicted ones. */
  readonly #slots: SessionSlots;
  /** Sessions by network of clients on the Internet; null where mail arrives from the own network only. */
  readonly #networkSlots: SessionSlots | null;
  /** Connections of load balancers before their PROXY header. */
  readonly #awaitingHeader = new Set<Socket>();
  #hasWarnedOfHeader = false;

  constructor(options: SmtpServerOptions) {
    this.#options = options;
    const { smtpBytesInFlightMax, messageBytesMax, smtpSessionCountMax, smtpSessionCountPerAddressMax } =
      options.limits;
    const { publicSessionCountPerNetworkMax } = options.limits;
    const budget = new ByteBudget(Math.max(smtpBytesInFlightMax, messageBytesMax), (isExhausted) => {
      if (isExhausted) options.log.warn({ smtpBytesInFlightMax }, "SMTP defers mail: memory budget exhausted");
      else options.log.info({ smtpBytesInFlightMax }, "SMTP accepts mail again: memory budget has room");
    });
    options.memory?.watch("smtp_mails", () => budget.bytesUsed);
    this.#context = { ...options, budget, delayed: new Set() };
    this.#slots = new SessionSlots({
      countMax: smtpSessionCountMax,
      countPerAddressMax: smtpSessionCountPerAddressMax,
    });
    this.#networkSlots =
      options.operations.screenRecipient === undefined
        ? null
        : new SessionSlots({ countMax: smtpSessionCountMax, countPerAddressMax: publicSessionCountPerNetworkMax });
    const kind = { protocol: "SMTP", pausesConnections: false, refusal: tooManySessions.wire };
    this.listener = new SessionListener({ ...options, ...kind }, this);
  }

  accept(socket: Socket, address: string): void {
    if (this.#options.isProxy(address)) this.#awaitHeader({ socket, address });
    else this.#acceptClient({ socket, address });
  }

  endAll(): void {
    for (const socket of this.#awaitingHeader) socket.destroy();
  }

  #awaitHeader(proxy: Client): void {
    const { socket } = proxy;
    if (this.listener.sessionCount + this.#awaitingHeader.size >= this.#options.limits.smtpSessionCountMax) {
      this.listener.refuse(socket);
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
    const { socket, address } = client;
    const network =
      this.#networkSlots === null || !isPublicAddress(address) ? null : networkOf(address, holderNetworks);
    const isFull = network !== null && this.#networkSlots?.isFullFor(network) === true;
    const releaseSlot = isFull ? null : (this.#slots.take(address) ?? this.#takeEvicted(address));
    if (releaseSlot === null) {
      this.listener.refuse(socket);
      return;
    }
    const releaseNetwork = network === null ? null : this.#networkSlots?.take(network);
    const release = (): void => {
      releaseSlot();
      releaseNetwork?.();
    };
    const session = new Session(client, this.#context, release);
    this.listener.run(session.connection, () => runSession(session), release);
  }

  /** Takes the slot of the session that a fault has delayed for longest, so that faults take no session from others. */
  #takeEvicted(address: string): (() => void) | null {
    const isAddressFull = this.#slots.isFullFor(address);
    for (const session of this.#context.delayed) {
      if (isAddressFull && session.clientAddress !== address) continue;
      session.evict();
      return this.#slots.take(address);
    }
    return null;
  }
}
