/** Client of protocols of lines for tests: sends what it is told, and reads lines as Latin-1. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Connection of a test to a POP3 or IMAP listener. */
export class LineClient implements AsyncDisposable {
  #socket: Socket;
  #held = "";
  #isEnded = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** Connects, with a TLS handshake if `isSecure`. Certificates are not verified. */
  static async open(port: number, isSecure = false): Promise<LineClient> {
    const socket = isSecure
      ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
      : connect({ port, host: "127.0.0.1" });
    await once(socket, isSecure ? "secureConnect" : "connect");
    return new LineClient(socket);
  }

  /** Sends text as it is, as Latin-1. */
  send(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** Returns the next line without its line end; null when the service closed the connection. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#held.indexOf("\n");
      if (end !== -1) {
        const line = this.#held.slice(0, end).replace(/\r$/, "");
        this.#held = this.#held.slice(end + 1);
        return line;
      }
      if (this.#isEnded) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Sends a line and returns the next line. */
  async ask(line: string): Promise<string | null> {
    this.send(`${line}\r\n`);
    return await this.line();
  }

  /** Returns the lines up to one that equals `last`, without it. */
  async linesUntil(last: string): Promise<readonly string[]> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.line();
      if (line === null) throw new Error(`the connection was closed after ${JSON.stringify(lines)}`);
      if (line === last) return lines;
      lines.push(line);
    }
  }

  /** Continues with TLS. */
  async secure(): Promise<void> {
    this.#socket.removeAllListeners("data").removeAllListeners("close");
    const secured = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secured, "secureConnect");
    this.#socket = secured;
    this.#listen();
  }

  /** Closes the side of the client. */
  end(): void {
    this.#socket.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    return Promise.resolve();
  }

  #listen(): void {
    this.#socket
      .on("data", (chunk: Buffer) => {
        this.#held += chunk.toString("latin1");
        this.#wake();
      })
      .on("close", () => {
        this.#isEnded = true;
        this.#wake();
      })
      .on("error", () => {
        // The connection closes, which the reader sees.
        this.#isEnded = true;
        this.#wake();
      });
  }
}
