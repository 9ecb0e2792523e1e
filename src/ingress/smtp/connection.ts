import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { contentArrival, typedMailBytesMax, watchArrival } from "../../core/arrival-rate.ts";
import type { FaultTlsFailure } from "../../core/fault.ts";
import { SmtpInput, type InputEnd, type InputRead } from "./input.ts";
import type { SmtpServerOptions } from "./options.ts";

/** Time limit for a client to close its side after the last reply. */
export const lingerMsMax = 2000;

/** Length at which gathered replies are written. */
const outgoingLengthMax = 16 * 1024;
/** Options of a connection. */
export interface ConnectionOptions extends Pick<
  SmtpServerOptions,
  "clock" | "faultySecureContext" | "implicitTls" | "limits" | "log" | "metrics" | "onTlsFailure" | "secureContext"
> {
  /** Returns the bytes of a mail that have arrived; 0 when none arrives, or the service slows it down. */
  readonly receivedBytes: () => number;
  /** Called when no further input will come, or the service stops. */
  readonly onEnding: () => void;
  /** Waits between two reads of a slowed-down content. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Connection of one client, with or without TLS. Reads on demand, so that a client is read no faster than its commands are
 * executed. Replies are gathered, and leave together when the session waits.
 */
export class SmtpConnection {
  readonly input: SmtpInput;
  readonly #options: ConnectionOptions;
  /** Socket without TLS. */
  readonly #clearSocket: Socket;
  #socket: Socket;
  readonly #closed = Promise.withResolvers<void>();
  /** True while a full send buffer stops the session. */
  #isDraining = false;
  #isPaused = false;
  #outgoing = "";
  #willFlush = false;
  #isStalled = false;
  #drained: () => void = () => undefined;
  /** Bytes that have arrived, and the end of the watch over those of a mail. */
  #bytesArrived = 0;
  #unwatch: (() => void) | null = null;
  /** Injected fault of the TLS handshake. */
  #tlsFault: FaultTlsFailure | null = null;
  #isSecure = false;
  #isHandshaking = false;
  /** True from the handshake to the first byte of the client: clients that reject the certificate disconnect in between. */
  #isCertificateUntested = false;
  #tlsError: Error | null = null;
  #lastActivityAt: number;
  /** Monotonic time of the start of the session, or of the check that saw the last mail. */
  #lastMailAt: number;
  #hasNewMail = false;
  #endedAt: number | null = null;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#options = options;
    this.input = new SmtpInput({
      lineBytesMax: options.limits.commandLineBytesMax,
      isClear: () => !this.#isSecure,
      wait: options.wait,
      pause: this.#pause,
      resume: () => {
        this.#watchContent();
        this.#resume();
      },
    });
    this.#clearSocket = socket;
    this.#socket = socket;
    this.#lastActivityAt = options.clock.monotonicMs();
    this.#lastMailAt = this.#lastActivityAt;
    socket.on("error", this.#onError);
    // With implicit TLS the handshake reads the bytes of the client.
    if (options.implicitTls) socket.on("close", this.#onClose);
    else this.#listen();
  }

  /** Reads the next line when the client has read enough of the replies. */
  readLine(): Promise<InputRead> {
    return this.#isStalled ? this.#drain().then(() => this.input.readLine()) : this.input.readLine();
  }

  /** Sends a reply with those before it, when the session waits or enough are gathered. */
  send(wire: string): void {
    if (wire === "") return;
    this.#outgoing += wire;
    if (this.#outgoing.length > outgoingLengthMax) this.#flush();
    if (this.#willFlush) return;
    this.#willFlush = true;
    process.nextTick(this.#flush);
  }

  /** Notes that a mail was stored, which the time limit between mails needs. */
  noteMail(): void {
    this.#hasNewMail = true;
  }

  /**
   * Continues as the server of TLS, with an injected fault or null. Drops bytes that arrived in clear. Returns the protocol and
   * the cipher; null when the handshake failed, and the connection is closed.
   */
  async secure(fault: FaultTlsFailure | null): Promise<string | null> {
    if (this.input.end === "shutdown") return null;
    this.#flush();
    this.input.drop();
    const { log, metrics, secureContext: current, faultySecureContext } = this.#options;
    this.#tlsFault = fault;
    const secureContext = fault === null || fault === "refuse" ? current() : faultySecureContext(fault);
    const clear = this.#socket;
    if (secureContext === undefined) {
      log.error({}, "SMTP handshake failed: no certificate");
      metrics.refused("tls");
      this.destroy();
      return null;
    }
    clear.off("data", this.#onData).off("end", this.#onEnd).off("drain", this.#onDrain).off("close", this.#onClose);
    this.#isStalled = false;
    const secured = new TLSSocket(clear, { isServer: true, secureContext });
    this.#socket = secured;
    this.#isHandshaking = true;
    this.#isPaused = false;
    // A TLS error after the handshake only emits the second event, and leaves the socket open.
    secured.on("error", this.#onError).on("_tlsError", this.#onError);
    this.#listen();
    const isSecure = await new Promise<boolean>((resolve) => {
      const fail = (): void => {
        resolve(false);
      };
      secured
        .once("secure", () => {
          resolve(true);
        })
        .once("end", fail)
        .once("close", fail);
    });
    if (!isSecure) return null;
    this.#isHandshaking = false;
    this.#isSecure = true;
    this.#isCertificateUntested = true;
    this.#lastActivityAt = this.#options.clock.monotonicMs();
    return `${secured.getProtocol() ?? "TLS"} ${secured.getCipher().standardName}`;
  }

  /** Closes the connection when the client exceeds a time limit: idle, without a mail, or after the last reply. */
  sweep(now: number): void {
    if (this.#endedAt !== null) {
      if (now - this.#endedAt >= lingerMsMax) this.destroy();
      return;
    }
    if (this.#isHeld) this.#lastActivityAt = now;
    const reason = this.#timeoutReason(now);
    if (reason === null || (this.#isHeld && !this.input.isThrottled)) return;
    if (this.#isHandshaking) this.destroy();
    else this.#endWith(reason);
  }

  /** Ends the input as soon as no mail is pending. */
  shutDown(): void {
    if (this.#isHandshaking) this.destroy();
    else this.#endWith("shutdown");
  }

  /** Closes the socket immediately. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes the connection after the replies sent so far, `atOnce` without waiting for the client; resolves when it is closed. */
  async finish(atOnce: boolean): Promise<void> {
    this.#endedAt = this.#options.clock.monotonicMs();
    const isUnreadable = this.#options.implicitTls && !this.#isSecure;
    this.#socket.end(isUnreadable ? "" : this.#outgoing);
    this.#outgoing = "";
    this.input.drop();
    if (atOnce) this.#socket.destroySoon();
    // Further bytes are read and dropped: closing with unread bytes would reset the connection and lose the reply.
    this.#resume();
    await this.#closed.promise;
  }

  /** Closes the connection by RST where possible, without the replies that have not left yet; resolves when it is closed. */
  async reset(): Promise<void> {
    this.#endedAt = this.#options.clock.monotonicMs();
    this.#outgoing = "";
    this.#clearSocket.resetAndDestroy();
    this.#socket.destroy();
    await this.#closed.promise;
  }

  /** True while the session waits by itself, so that the client is not idle. */
  get #isHeld(): boolean {
    return !this.input.isWaiting && !this.#isDraining && !this.#isHandshaking;
  }

  #timeoutReason(now: number): "idle" | "too_slow" | null {
    const { smtpIdleMsMax, smtpMailMsMax } = this.#options.limits;
    if (this.#hasNewMail) this.#lastMailAt = now;
    this.#hasNewMail = false;
    if (now - this.#lastActivityAt >= smtpIdleMsMax) return "idle";
    return now - this.#lastMailAt >= smtpMailMsMax ? "too_slow" : null;
  }

  #endWith(reason: InputEnd): void {
    this.#options.onEnding();
    this.input.endWith(reason);
    this.#drained();
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    this.#isDraining = false;
  }

  readonly #flush = (): void => {
    this.#willFlush = false;
    if (this.#outgoing === "" || this.input.end === "closed") return;
    const wire = this.#outgoing;
    this.#outgoing = "";
    this.#lastActivityAt = this.#options.clock.monotonicMs();
    if (this.#socket.write(wire)) return;
    this.#isStalled = true;
    this.#socket.once("drain", this.#onDrain);
  };

  readonly #pause = (): void => {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  };

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  #listen(): void {
    this.#socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#isCertificateUntested = false;
    this.#lastActivityAt = this.#options.clock.monotonicMs();
    this.#bytesArrived += chunk.length;
    if (this.#endedAt === null) this.input.take(chunk);
  };

  /** Ends the session when the content of a mail arrives too slowly, unless the service reads it slowly itself. */
  #watchContent(): void {
    const isArriving = this.#options.receivedBytes() > typedMailBytesMax;
    if (isArriving === (this.#unwatch !== null)) return;
    this.#unwatch?.();
    const onTooSlow = (): void => {
      this.#unwatch = null;
      if (!this.#isHeld) this.#endWith("too_slow");
    };
    const arrival = { bytesArrived: () => this.#bytesArrived, onTooSlow };
    this.#unwatch = isArriving ? watchArrival(this.#options.clock, contentArrival, arrival) : null;
  }

  readonly #onEnd = (): void => {
    // Clients that have given up cannot be told from those that still read replies.
    this.#endWith("left");
  };

  readonly #onDrain = (): void => {
    this.#isStalled = false;
    this.#drained();
  };

  readonly #onClose = (): void => {
    this.#unwatch?.();
    if (this.#tlsFault === null) this.#reportTlsFailure();
    this.#endWith("closed");
    this.#closed.resolve();
  };

  /** Reports a failed handshake, and a client that left after it without a command. */
  #reportTlsFailure(): void {
    if (this.#isHandshaking) this.#options.metrics.refused("tls");
    if (this.#isHandshaking || this.#isCertificateUntested) this.#options.onTlsFailure(this.#tlsError);
  }

  readonly #onError = (error: Error): void => {
    this.#tlsError ??= error;
    this.#options.log.debug({ err: error }, "SMTP connection failed");
    this.destroy();
  };
}
