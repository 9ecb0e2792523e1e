import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

/** One exchange: what is sent (a string that does not end in LF gets CRLF), and what the reply must look like. */
export type SmtpStep = readonly [send: string | Uint8Array, expected: string | RegExp];

/** The client's side of an SMTP session, played word by word. */
export class SmtpDialogue implements AsyncDisposable {
  #socket: Socket;
  #received = "";
  #isOver = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  /** Connects to a port of this machine; with `tls` the handshake comes first. */
  static async connect(port: number, tls?: ConnectionOptions): Promise<SmtpDialogue> {
    const socket =
      tls === undefined
        ? connect({ port, host: "127.0.0.1", noDelay: true })
        : connectTls({ port, host: "127.0.0.1", ...tls });
    await once(socket, tls === undefined ? "connect" : "secureConnect");
    return new SmtpDialogue(socket);
  }

  /** True once the service has closed its side, or the connection broke. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The socket, for tests of what a dialogue cannot say. */
  get socket(): Socket {
    return this.#socket;
  }

  /** Sends bytes as they are; resolves once they were handed to the system. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.write(bytes, () => {
        resolve();
      });
    });
  }

  /** The next reply, all its lines, CRLF between them; rejects when the connection ends before it is complete. */
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

  /** Reads a reply that must begin with `expected`, or match it. */
  async expect(expected: string | RegExp, after = ""): Promise<string> {
    const reply = await this.reply();
    const fits = typeof expected === "string" ? reply.startsWith(expected) : expected.test(reply);
    if (!fits) throw new Error(`Expected ${String(expected)} after ${after.slice(0, 200)}, got ${reply}`);
    return reply;
  }

  /** Plays steps in turn, each after the reply to the one before. */
  async play(...steps: readonly SmtpStep[]): Promise<void> {
    for (const [send, expected] of steps) {
      await this.write(typeof send === "string" && !send.endsWith("\n") ? `${send}\r\n` : send);
      await this.expect(expected, String(send));
    }
  }

  /** Everything that still comes until the service closes its side. */
  async rest(): Promise<string> {
    while (!this.#isOver) await this.#somethingNew();
    const rest = this.#received;
    this.#received = "";
    return rest;
  }

  /** Makes the TLS handshake, after STARTTLS was answered. */
  async secure(options: ConnectionOptions): Promise<void> {
    this.#socket.removeAllListeners("data").removeAllListeners("close").removeAllListeners("end");
    const secured = connectTls({ socket: this.#socket, ...options });
    await once(secured, "secureConnect");
    this.#socket = secured;
    this.#listen(secured);
  }

  /** Closes this side and goes on reading. */
  end(): void {
    this.#socket.end();
  }

  /** Vanishes: the connection is reset. */
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
