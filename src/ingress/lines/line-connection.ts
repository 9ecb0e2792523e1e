import type { Socket } from "node:net";
import { TLSSocket, type SecureContext } from "node:tls";
import { watchArrival, contentArrival } from "../../core/arrival-rate.ts";
import type { Clock } from "../../core/clock.ts";
import { mainTurns } from "../../core/shared-turns.ts";

const lf = 0x0a;
const cr = 0x0d;
const noBytes = Buffer.alloc(0);

/** Bytes of an overlong line that are kept. */
const overlongStartBytes = 300;

/** Reason for which a connection delivers no further bytes; `anonymous`: the client did not sign in for too long. */
export type LineEnd = "closed" | "idle" | "anonymous" | "shutdown";

/**
 * Line of a client. `line` without its line end, one character per byte (Latin-1); `overlong` for a line over the limit,
 * which was dropped but for its start; `end` when none will come.
 */
export type LineRead =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "overlong"; readonly start: string }
  | { readonly kind: "end"; readonly reason: LineEnd };

/** Bounds of a connection. */
export interface LineBounds {
  /** Line end included. */
  readonly lineBytesMax: number;
  /** Time without a byte from a client that is not authenticated, and from one that is. */
  readonly idleMsMax: number;
  readonly authenticatedIdleMsMax: number;
  /** Time from the connection to the authentication of the client, however active it is. */
  readonly signInMsMax: number;
  /** Time during which a client must read something of a response. */
  readonly writeMsMax: number;
}

/** Dependencies of {@link LineConnection}. */
export interface LineConnectionOptions extends LineBounds {
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly clientAddress: string;
  /** Called once with the error of a TLS handshake that failed. */
  readonly onTlsFailure: (error: Error | null) => void;
  /** Called when the client signs in; returns false while too many clients are signed in. */
  readonly onAuthenticated: () => boolean;
}

/**
 * Connection of a protocol of lines: POP3 and IMAP. Reads on demand, so that a client is read no faster than its commands
 * are executed, and holds at most the buffer of the socket and one line. Writes wait for the client to read.
 */
export class LineConnection {
  readonly clientAddress: string;
  readonly #options: LineConnectionOptions;
  #socket: Socket;
  #held: Buffer = noBytes;
  /** Start of a line over the limit; null for none. */
  #overlongStart: string | null = null;
  /** Reason for which no further bytes are read; those in the buffer still are. */
  #end: LineEnd | null = null;
  #isDestroyed = false;
  #isSecure = false;
  #isAuthenticated = false;
  readonly #openedAt: number;
  #lastActivityAt: number;
  #writingSince: number | null = null;
  #wake: () => void = () => undefined;
  #drained: () => void = () => undefined;
  /** Called when the connection closes; most connections have none. */
  #onClosed: (() => void) | null = null;

  constructor(socket: Socket, options: LineConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.clientAddress = options.clientAddress;
    this.#openedAt = options.clock.monotonicMs();
    this.#lastActivityAt = this.#openedAt;
    this.#listen();
  }

  /** Whether the connection is encrypted. */
  get isSecure(): boolean {
    return this.#isSecure;
  }

  /** Whether the client has left, or the connection was destroyed. */
  get isClosed(): boolean {
    return this.#isDestroyed || this.#end === "closed";
  }

  /** Applies the bounds of authenticated clients; returns false while there are too many of them. */
  markAuthenticated(): boolean {
    this.#isAuthenticated ||= this.#options.onAuthenticated();
    return this.#isAuthenticated;
  }

  /** Reads the next line, which ends with CRLF or a bare LF. Lines that a client sends without waiting let others have their turns. */
  async readLine(): Promise<LineRead> {
    if (this.#held.length > 0) await mainTurns.next();
    for (;;) {
      const line = this.#takeLine();
      if (line !== undefined) return line;
      if (!(await this.#fill())) return { kind: "end", reason: this.#end ?? "closed" };
    }
  }

  /**
   * Yields the next `count` bytes in chunks. Returns earlier when the connection ends, and when more than a few bytes arrive more
   * slowly than {@link contentArrival}: the caller counts them. The chunks are only valid until the next one is requested.
   */
  async *readBytes(count: number): AsyncGenerator<Buffer, void> {
    let left = count;
    const arrival = { bytesArrived: () => count - left, onTooSlow: () => this.#endWith("idle") };
    const stop = count > contentArrival.bytesMin ? watchArrival(this.#options.clock, contentArrival, arrival) : null;
    try {
      while (left > 0) {
        if (this.#held.length === 0 && !(await this.#fill())) return;
        const chunk = this.#held.subarray(0, left);
        this.#held = this.#held.subarray(chunk.length);
        left -= chunk.length;
        if (chunk.length > 0) yield chunk;
      }
    } finally {
      stop?.();
    }
  }

  /** Writes bytes, texts as Latin-1; resolves when the client has read enough to take more, or has left. */
  async write(data: Uint8Array | string): Promise<void> {
    if (this.#isDestroyed || this.#socket.write(data, "latin1")) return;
    this.#writingSince = this.#options.clock.monotonicMs();
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    this.#writingSince = null;
  }

  /**
   * Continues as the server of TLS; rejects nothing: after a failed handshake the connection is closed. Bytes that the client
   * sent before are dropped, so that no clear text becomes a command (RFC 3501 section 6.2.1, RFC 2595 section 4).
   */
  async secure(secureContext: SecureContext): Promise<void> {
    this.#held = noBytes;
    this.#overlongStart = null;
    const clear = this.#socket;
    while (clear.read() !== null);
    clear.off("readable", this.#onReadable).off("end", this.#onReadable).off("drain", this.#onDrain);
    clear.off("close", this.#onClose).off("error", this.#onError);
    const secured = new TLSSocket(clear, { isServer: true, secureContext });
    this.#socket = secured;
    let failure: Error | null = null;
    const onError = (error: Error): void => {
      failure ??= error;
      this.destroy();
    };
    // A TLS error after the handshake only emits the second event, and leaves the socket open.
    secured.on("error", onError).on("_tlsError", onError);
    this.#listen();
    await new Promise<void>((resolve) => {
      secured.once("secure", () => {
        this.#isSecure = true;
        resolve();
      });
      secured.once("close", () => {
        if (!this.#isSecure) this.#options.onTlsFailure(failure);
        resolve();
      });
    });
  }

  /** Ends the connection when everything is written; further bytes of the client are dropped. */
  async finish(): Promise<void> {
    if (this.#isDestroyed) return;
    const socket = this.#socket;
    await new Promise<void>((resolve) => {
      this.#writingSince = this.#options.clock.monotonicMs();
      socket.once("close", resolve);
      socket.end();
      // Closing with unread bytes would reset the connection and lose the last response.
      socket.off("readable", this.#onReadable).resume();
      if (socket.readableEnded) socket.destroySoon();
    });
  }

  /** Calls `action` when the connection closes, instead of one that was given before; null for none. */
  onClosed(action: (() => void) | null): void {
    this.#onClosed = action;
    if (this.isClosed) action?.();
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#socket.destroy();
    this.#close();
  }

  /** Ends the next or pending read with `shutdown`. */
  shutDown(): void {
    this.#endWith("shutdown");
  }

  #endWith(reason: LineEnd): void {
    this.#end ??= reason;
    this.#wake();
  }

  /** Ends a read that waits for too long, and closes a connection whose client reads nothing. */
  sweep(now: number): void {
    const isWriting = this.#writingSince !== null;
    if (now - (this.#writingSince ?? now) > this.#options.writeMsMax) this.destroy();
    const reason = isWriting ? null : this.#timeoutReason(now);
    if (reason === null) return;
    if (this.#socket instanceof TLSSocket && !this.#isSecure) this.destroy();
    this.#endWith(reason);
  }

  #timeoutReason(now: number): "idle" | "anonymous" | null {
    const { idleMsMax, authenticatedIdleMsMax, signInMsMax } = this.#options;
    if (!this.#isAuthenticated && now - this.#openedAt > signInMsMax) return "anonymous";
    const limit = this.#isAuthenticated ? authenticatedIdleMsMax : idleMsMax;
    return now - this.#lastActivityAt > limit ? "idle" : null;
  }

  #takeLine(): LineRead | undefined {
    const lineEnd = this.#held.indexOf(lf);
    if (lineEnd === -1) {
      if (this.#held.length >= this.#options.lineBytesMax) {
        this.#overlongStart ??= startOf(this.#held);
        this.#held = noBytes;
      }
      return undefined;
    }
    const line = this.#held.subarray(0, lineEnd);
    this.#held = this.#held.subarray(lineEnd + 1);
    if (this.#overlongStart !== null || lineEnd + 1 > this.#options.lineBytesMax) {
      const start = this.#overlongStart ?? startOf(line);
      this.#overlongStart = null;
      return { kind: "overlong", start };
    }
    const end = line.length > 0 && line[line.length - 1] === cr ? line.length - 1 : line.length;
    return { kind: "line", text: line.toString("latin1", 0, end) };
  }

  /** Waits for bytes; returns false when none will come. */
  async #fill(): Promise<boolean> {
    for (;;) {
      const chunk = this.#socket.read() as Buffer | null;
      if (chunk !== null) {
        this.#lastActivityAt = this.#options.clock.monotonicMs();
        this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
        return true;
      }
      if (this.#socket.readableEnded || this.#isDestroyed) this.#end ??= "closed";
      if (this.#end !== null) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #listen(): void {
    this.#socket
      .on("readable", this.#onReadable)
      .on("end", this.#onReadable)
      .on("drain", this.#onDrain)
      .on("close", this.#onClose)
      .on("error", this.#onError);
  }

  readonly #onReadable = (): void => {
    this.#wake();
  };

  readonly #onDrain = (): void => {
    this.#drained();
  };

  readonly #onClose = (): void => {
    this.#close();
  };

  /** The connection closes; a client that leaves is not an error of the service. */
  readonly #onError = (): void => {
    this.destroy();
  };

  #close(): void {
    this.#isDestroyed = true;
    this.#end = "closed";
    this.#wake();
    this.#drained();
    this.#onClosed?.();
  }
}

function startOf(line: Buffer): string {
  return line.toString("latin1", 0, Math.min(line.length, overlongStartBytes));
}
