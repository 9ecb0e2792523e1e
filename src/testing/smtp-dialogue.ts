import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

/** One exchange: text to send (CRLF is added unless it ends with LF), and the expected reply. */
export type SmtpStep = readonly [send: string | Uint8Array, expected: string | RegExp];

/** SMTP client that sends scripted lines. */
export class SmtpDialogue implements AsyncDisposable {
  #socket: Socket;
  #received = "";
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  /** Connects to a port of this machine; with `tls`, with implicit TLS. */
  static async connect(port: number, tls?: ConnectionOptions): Promise<SmtpDialogue> {
    const socket =
      tls === undefined
        ? connect({ port, host: "127.0.0.1", noDelay: true })
        : connectTls({ port, host: "127.0.0.1", ...tls });
    await once(socket, tls === undefined ? "connect" : "secureConnect");
    return new SmtpDialogue(socket);
  }

  /** Whether the service has closed its side, or the connection failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Socket, for tests that need direct access. */
  get socket(): Socket {
    return this.#socket;
  }

  /** Sends bytes unchanged; resolves when they are written to the socket. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.write(bytes, () => {
        resolve();
      });
    });
  }

  /** Reads the next reply with all its lines, separated by CRLF; rejects when the connection ends before. */
  async reply(): Promise<string> {
    const complete = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/;
    for (;;) {
      const found = complete.exec(this.#received)?.[0];
      if (found !== undefined) {
        this.#received = this.#received.slice(found.length);
        return found.slice(0, -2);
      }
      if (this.#isOver) throw new Error(`The session ended before a reply was complete: ${this.#received}`);
      await this.#somethingNew();
    }
  }

  /** Reads a reply; rejects unless it begins with or matches `expected`. */
  async expect(expected: string | RegExp, after = ""): Promise<string> {
    const reply = await this.reply();
    const fits = typeof expected === "string" ? reply.startsWith(expected) : expected.test(reply);
    if (!fits) throw new Error(`Expected ${String(expected)} after ${after.slice(0, 200)}, got ${reply}`);
    return reply;
  }

  /** Runs exchanges in sequence. */
  async play(...steps: readonly SmtpStep[]): Promise<void> {
    for (const [send, expected] of steps) {
      await this.write(typeof send === "string" && !send.endsWith("\n") ? `${send}\r\n` : send);
      await this.expect(expected, String(send));
    }
  }

  /** Reads until the service closes its side. */
  async rest(): Promise<string> {
    while (!this.#isOver) await this.#somethingNew();
    const rest = this.#received;
    this.#received = "";
    return rest;
  }

  /** Performs the TLS handshake after the reply to STARTTLS. */
  async secure(options: ConnectionOptions): Promise<void> {
    this.#socket.removeAllListeners("data").removeAllListeners("close").removeAllListeners("end");
    const secured = connectTls({ socket: this.#socket, ...options });
    await once(secured, "secureConnect");
    this.#socket = secured;
    this.#listen(secured);
  }

  /** Closes the writing side; reading continues. */
  end(): void {
    this.#socket.end();
  }

  /** Resets the connection. */
  vanish(): void {
    this.#socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.closed) return;
    this.#socket.destroy();
    await once(this.#socket, "close");
  }

  #listen(socket: Socket): void {
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#received += text;
      this.#wake();
    });
    socket.on("error", () => undefined);
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.#isOver = true;
        this.#wake();
      });
    }
  }

  async #somethingNew(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
