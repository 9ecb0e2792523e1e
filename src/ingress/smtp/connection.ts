import type { Socket } from "node:net";
import { TLSSocket, type SecureContext } from "node:tls";
import { watchArrival, contentArrival, typedMailBytesMax } from "../../core/arrival-rate.ts";
import type { FaultTlsFailure } from "../../core/fault.ts";
import { Conversation } from "./conversation.ts";
import type { SmtpServerOptions } from "./options.ts";
import type { Peer } from "./peer.ts";
import { Session, type SessionContext } from "./session.ts";

/** Time limit for a client to close its side after the last reply. */
export const lingerMsMax = 2000;

/** Connected client. */
export interface Client {
  readonly socket: Socket;
  /** IPv4 or IPv6 address; behind a load balancer that of the PROXY header. */
  readonly address: string;
}

/** Dependencies of a connection. */
export interface ConnectionContext
  extends SessionContext, Pick<SmtpServerOptions, "faultySecureContext" | "onTlsFailure"> {}

/** Events of a connection. */
export interface ConnectionEvents {
  /** Called when the session gives way to another one; it closes as soon as its last reply is written. */
  readonly onEvicted: () => void;
  /** Called once, when the socket is closed and no operation is pending. */
  readonly onFinished: () => void;
}

/** Socket of one client, with or without TLS, and its SMTP conversation. */
export class Connection implements Peer {
  readonly #context: ConnectionContext;
  readonly #session: Session;
  readonly #conversation: Conversation;
  readonly #onFinished: () => void;
  /** Socket without TLS. */
  readonly #clearSocket: Socket;
  #socket: Socket;
  /** Bytes that have arrived, and the end of the watch over those of a mail. */
  #bytesArrived = 0;
  #unwatch: (() => void) | null = null;
  /** Injected fault of the TLS handshake. */
  #tlsFault: FaultTlsFailure | null = null;
  #hasImplicitTls = false;
  #isHandshaking = false;
  /** True from the handshake to the first byte of the client: clients that reject the certificate disconnect in between. */
  #isCertificateUntested = false;
  #tlsError: Error | null = null;
  #isPaused = false;
  #lastActivityAt: number;
  /** Monotonic time of the start of the session, or of the check that saw the last mail. */
  #lastMailAt: number;
  #mailCountSeen = 0;
  #endedAt: number | null = null;

  constructor({ socket, address }: Client, context: ConnectionContext, { onEvicted, onFinished }: ConnectionEvents) {
    this.#context = context;
    this.#clearSocket = socket;
    this.#socket = socket;
    this.#onFinished = onFinished;
    this.#lastActivityAt = context.clock.monotonicMs();
    this.#lastMailAt = this.#lastActivityAt;
    this.#session = new Session(context, address);
    this.#session.onEvicted = onEvicted;
    this.#conversation = new Conversation(this.#session, this);
    socket.on("error", this.#onError);
  }

  /** Sends the greeting, with implicit TLS after the handshake. */
  open(implicitTls: boolean): void {
    this.#hasImplicitTls = implicitTls;
    // With implicit TLS the handshake reads the bytes of the client.
    if (implicitTls) this.#socket.on("close", this.#onClose);
    else this.#listen();
    this.#conversation.greet(implicitTls);
  }

  /** Closes the connection when the client exceeds a time limit: idle, without a mail, or after the last reply. */
  sweep(now: number): void {
    if (this.#endedAt !== null) {
      if (now - this.#endedAt >= lingerMsMax) this.destroy();
      return;
    }
    if (this.#conversation.isHeld) this.#lastActivityAt = now;
    const reason = this.#timeoutReason(now);
    if (reason === null || this.#conversation.isBusy) return;
    if (this.#isHandshaking) this.destroy();
    else this.#conversation.timeOut(reason);
  }

  #timeoutReason(now: number): "idle" | "too_slow" | null {
    const { smtpIdleMsMax, smtpMailMsMax } = this.#context.limits;
    if (this.#session.mailCount > this.#mailCountSeen) {
      this.#mailCountSeen = this.#session.mailCount;
      this.#lastMailAt = now;
    }
    if (now - this.#lastActivityAt >= smtpIdleMsMax) return "idle";
    return now - this.#lastMailAt >= smtpMailMsMax ? "too_slow" : null;
  }

  /** Closes the session as soon as no mail is pending. */
  shutDown(): void {
    if (this.#isHandshaking) this.destroy();
    else this.#conversation.shutDown();
  }

  /** Closes the socket immediately. */
  destroy(): void {
    this.#socket.destroy();
  }

  send(wire: string): boolean {
    this.#lastActivityAt = this.#context.clock.monotonicMs();
    const keepsUp = this.#socket.write(wire);
    if (!keepsUp) this.#socket.once("drain", this.#onDrain);
    return keepsUp;
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  end(wire: string): void {
    this.#endedAt = this.#context.clock.monotonicMs();
    const isUnreadable = this.#hasImplicitTls && this.#session.tls === null;
    this.#socket.end(isUnreadable ? "" : wire);
    if (this.#session.isEvicted) this.#socket.destroySoon();
    // Further bytes are read and dropped: closing with unread bytes would reset the connection and lose the reply.
    this.resume();
  }

  startTls(fault: FaultTlsFailure | null): void {
    this.#tlsFault = fault;
    this.#secure(
      fault === null || fault === "refuse" ? this.#context.secureContext() : this.#context.faultySecureContext(fault),
    );
  }

  reset(): void {
    this.#endedAt = this.#context.clock.monotonicMs();
    this.#clearSocket.resetAndDestroy();
    this.#socket.destroy();
  }

  fail(error: unknown): void {
    this.#context.log.error({ err: error }, "SMTP session failed");
    this.#context.metrics.refused("internal");
    this.destroy();
  }

  finished(): void {
    this.#onFinished();
  }

  #secure(secureContext: SecureContext | undefined): void {
    const clear = this.#socket;
    if (secureContext === undefined) {
      this.#context.log.error({}, "SMTP handshake failed: no certificate");
      this.#context.metrics.refused("tls");
      this.#listen();
      this.destroy();
      return;
    }
    clear.off("data", this.#onData).off("end", this.#onEnd).off("drain", this.#onDrain).off("close", this.#onClose);
    const secured = new TLSSocket(clear, { isServer: true, secureContext });
    this.#socket = secured;
    this.#isHandshaking = true;
    this.#isPaused = false;
    secured.on("error", this.#onError);
    // A TLS error after the handshake only emits this event, and leaves the socket open.
    secured.on("_tlsError", this.#onError);
    this.#listen();
    secured.once("secure", () => {
      this.#isHandshaking = false;
      this.#isCertificateUntested = true;
      this.#lastActivityAt = this.#context.clock.monotonicMs();
      this.#session.secure(`${secured.getProtocol() ?? "TLS"} ${secured.getCipher().standardName}`);
      this.#conversation.secured();
    });
  }

  #listen(): void {
    this.#socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#isCertificateUntested = false;
    this.#lastActivityAt = this.#context.clock.monotonicMs();
    this.#bytesArrived += chunk.length;
    this.#conversation.take(chunk);
    this.#watchContent();
  };

  /** Closes the connection when the content of a mail arrives too slowly, unless the service reads it slowly itself. */
  #watchContent(): void {
    const isArriving = this.#session.receivedBytes > typedMailBytesMax;
    if (isArriving === (this.#unwatch !== null)) return;
    this.#unwatch?.();
    const onTooSlow = (): void => {
      this.#unwatch = null;
      if (!this.#conversation.isHeld) this.#conversation.timeOut("too_slow");
    };
    const arrival = { bytesArrived: () => this.#bytesArrived, onTooSlow };
    this.#unwatch = isArriving ? watchArrival(this.#context.clock, contentArrival, arrival) : null;
  }

  readonly #onEnd = (): void => {
    this.#conversation.endInput();
  };

  readonly #onDrain = (): void => {
    this.#conversation.drained();
  };

  readonly #onClose = (): void => {
    this.#unwatch?.();
    if (this.#tlsFault === null) this.#reportTlsFailure();
    this.#conversation.close();
  };

  /** Reports a failed handshake, and a client that left after it without a command. */
  #reportTlsFailure(): void {
    if (this.#isHandshaking) this.#context.metrics.refused("tls");
    if (this.#isHandshaking || this.#isCertificateUntested) this.#context.onTlsFailure(this.#tlsError);
  }

  readonly #onError = (error: Error): void => {
    this.#tlsError ??= error;
    this.#context.log.debug({ err: error }, "SMTP connection failed");
    this.destroy();
  };
}

/** Returns the usual spelling of an address: IPv4-mapped IPv6 addresses become IPv4. */
export function shownAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
