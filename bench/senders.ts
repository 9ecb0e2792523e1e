/** SMTP load generator with a minimal client. */
import { connect, type Socket } from "node:net";
import { realisticMail } from "./realistic-mail.ts";

/** Target and size of the load. */
export interface Load {
  readonly port: number;
  /** Domain of the recipients. */
  readonly domain: string;
  /** Number of concurrent senders. */
  readonly senders: number;
  readonly mails: number;
  /** Whether each sender keeps one connection; otherwise it opens a new one for each mail, as most applications do. */
  readonly keepsConnection: boolean;
  /** Whether to send one line of text instead of the realistic mail, to fill a server quickly. */
  readonly isShort?: boolean;
  /** Returns the mail with a number, from 0 on, instead. */
  readonly mail?: (number: number) => Buffer;
}

const short = Buffer.from(
  "From: a@app.example\r\nTo: b@app.example\r\nSubject: Your order is on its way\r\n\r\nIt left today.\r\n",
);
const stock = Array.from({ length: 64 }, (_, seed) => realisticMail("reader@app.example", seed));

/** Sends the load and returns the number of accepted mails per second. */
export async function sendLoad(load: Load): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    let conversation: Conversation | null = null;
    for (let number = next++; number < load.mails; number = next++) {
      conversation ??= await Conversation.open(load.port);
      await conversation.send(
        `u${String(number)}@${load.domain}`,
        load.mail?.(number) ?? (load.isShort === true ? short : (stock[number % stock.length] ?? short)),
      );
      if (load.keepsConnection) continue;
      await conversation.quit();
      conversation = null;
    }
    await conversation?.quit();
  };
  await Promise.all(Array.from({ length: load.senders }, work));
  return (load.mails / (performance.now() - startedAt)) * 1000;
}

/** Client side of one SMTP session. */
export class Conversation {
  readonly #socket: Socket;
  #received = "";
  #settle: ((reply: string) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      if (!/^\d{3} [^\n]*\n$/m.test(this.#received)) return;
      const reply = this.#received;
      this.#received = "";
      this.#settle?.(reply);
    });
    for (const event of ["error", "close"]) socket.on(event, () => this.#settle?.("421 connection lost"));
  }

  static async open(port: number): Promise<Conversation> {
    const conversation = new Conversation(connect(port, "127.0.0.1"));
    await conversation.#expect("220", null);
    await conversation.#expect("250", "EHLO bench.example\r\n");
    return conversation;
  }

  async send(to: string, mail: Buffer): Promise<void> {
    await this.#expect("250", "MAIL FROM:<no-reply@app.example>\r\n");
    await this.#expect("250", `RCPT TO:<${to}>\r\n`);
    await this.#expect("354", "DATA\r\n");
    this.#socket.write(mail);
    await this.#expect("250", ".\r\n");
  }

  async quit(): Promise<void> {
    await this.#expect("221", "QUIT\r\n");
    this.close();
  }

  /** Closes the connection without QUIT. */
  close(): void {
    this.#socket.destroy();
  }

  async #expect(code: string, line: string | null): Promise<void> {
    const reply = new Promise<string>((resolve) => {
      this.#settle = resolve;
    });
    if (line !== null) this.#socket.write(line);
    const text = await reply;
    const last = text.trimEnd().split("\n").at(-1) ?? "";
    if (!last.startsWith(code)) throw new Error(`expected ${code}, got ${text.trim()}`);
  }
}
