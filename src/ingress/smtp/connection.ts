import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import { Conversation, type Peer } from "./conversation.ts";
import type { SmtpServerOptions } from "./options.ts";
import { Session, type SessionContext } from "./session.ts";

/** How long a client that was told goodbye may leave its side open. */
export const lingerMsMax = 2000;

/** Who is at the other end. */
export interface Client {
  readonly socket: Socket;
  /** IPv4 or IPv6; not that of a balancer in between, where it names its client. */
  readonly address: string;
}

/** What a connection needs beside its socket. */
export interface ConnectionContext extends SessionContext, Pick<SmtpServerOptions, "onTlsFailure"> {
  readonly clock: Clock;
}

/** One client's socket, in clear or under TLS, and the conversation over it. */
export class Connection implements Peer {
  readonly #context: ConnectionContext;
  readonly #session: Session;
  readonly #conversation: Conversation;
  readonly #onFinished: () => void;
  #socket: Socket;
  #isHandshaking = false;
  /** True from the handshake until the client's first byte: clients that distrust the certificate leave in between. */
  #isUntried = false;
  #tlsError: Error | null = null;
  #isPaused = false;
  #lastActivityAt: number;
  /** When the session began, or a sweep saw that a mail had come. */
  #lastMailAt: number;
  #mailCountSeen = 0;
  #endedAt: number | null = null;

  /** `onFinished` is called once, when the socket is closed and no operation is pending. */
  constructor({ socket, address }: Client, context: ConnectionContext, onFinished: () => void) {
    this.#context = context;
    this.#socket = socket;
    this.#onFinished = onFinished;
    this.#lastActivityAt = context.clock.monotonicMs();
    this.#lastMailAt = this.#lastActivityAt;
    this.#session = new Session(context, address);
    this.#conversation = new Conversation(this.#session, this);
    socket.on("error", this.#onError);
  }

  /** Greets the client, with implicit TLS after the handshake. */
  open(implicitTls: boolean): void {
    if (implicitTls) {
      this.#secure(() => {
        this.#conversation.greet();
      });
      return;
    }
    this.#listen();
    this.#conversation.greet();
  }

  /** Ends the connection when the client was silent or sent no mail for too long, or does not close after the goodbye. */
  sweep(now: number): void {
    if (this.#endedAt !== null) {
      if (now - this.#endedAt >= lingerMsMax) this.destroy();
      return;
    }
    const why = this.#overdue(now);
    if (why === null || this.#conversation.isBusy) return;
    if (this.#isHandshaking) this.destroy();
    else this.#conversation.timeOut(why);
  }

  #overdue(now: number): "idle" | "too_slow" | null {
    const { smtpIdleMsMax, smtpMailMsMax } = this.#context.limits;
    if (this.#session.mailCount > this.#mailCountSeen) {
      this.#mailCountSeen = this.#session.mailCount;
      this.#lastMailAt = now;
    }
    if (now - this.#lastActivityAt >= smtpIdleMsMax) return "idle";
    return now - this.#lastMailAt >= smtpMailMsMax ? "too_slow" : null;
  }

  /** Ends the session as soon as no mail is on its way. */
  shutDown(): void {
    if (this.#isHandshaking) this.destroy();
    else this.#conversation.shutDown();
  }

  /** Closes the socket at once. */
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
    this.#socket.end(wire);
    // What still comes is read and dropped: closing on unread bytes would reset the connection and lose the goodbye.
    this.resume();
  }

  startTls(): void {
    this.#secure(() => undefined);
  }

  fail(fault: unknown): void {
    this.#context.log.error({ err: fault }, "An SMTP session failed");
    this.#context.metrics.refused("internal");
    this.destroy();
  }

  finished(): void {
    this.#onFinished();
  }

  #secure(then: () => void): void {
    const secureContext = this.#context.secureContext();
    const clear = this.#socket;
    if (secureContext === undefined) {
      this.#context.log.error({}, "TLS is needed and there is no certificate");
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
    // A TLS error after the handshake is reported by this event alone, and leaves the socket open.
    secured.on("_tlsError", this.#onError);
    this.#listen();
    secured.once("secure", () => {
      this.#isHandshaking = false;
      this.#isUntried = true;
      this.#lastActivityAt = this.#context.clock.monotonicMs();
      this.#session.secure(`${secured.getProtocol() ?? "TLS"} ${secured.getCipher().standardName}`);
      then();
    });
  }

  #listen(): void {
    this.#socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#isUntried = false;
    this.#lastActivityAt = this.#context.clock.monotonicMs();
    this.#conversation.take(chunk);
  };

  readonly #onEnd = (): void => {
    this.#conversation.endInput();
  };

  readonly #onDrain = (): void => {
    this.#conversation.drained();
  };

  readonly #onClose = (): void => {
    if (this.#isHandshaking) this.#context.metrics.refused("tls");
    if (this.#isHandshaking || this.#isUntried) this.#context.onTlsFailure(this.#tlsError);
    this.#conversation.close();
  };

  readonly #onError = (error: Error): void => {
    this.#tlsError ??= error;
    this.#context.log.debug({ err: error }, "An SMTP connection broke");
    this.destroy();
  };
}

/** An address as people write it: an IPv4 address that came mapped into IPv6 is shown as IPv4. */
export function shownAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
