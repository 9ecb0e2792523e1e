/** Requests to a running service, wherever it runs. */
import type { Change, ChangeKind } from "../core/events.ts";
import { SmtpDialogue } from "./smtp-dialogue.ts";

/** Running service as its clients see it. */
export abstract class ServiceAccess implements AsyncDisposable {
  /** Start message with the addresses of the service. */
  abstract get message(): string;

  abstract [Symbol.asyncDispose](): Promise<void>;

  /** Returns a value of the start message: the first word after the name. */
  shown(name: string): string {
    return new RegExp(`^  ${name} +(\\S+)`, "m").exec(this.message)?.[1] ?? "";
  }

  get smtpPort(): number {
    return Number(this.shown("SMTP").split(":").at(-1));
  }

  get url(): string {
    return this.shown("API");
  }

  /** Sends a request to the API. */
  async fetch(path: string, key: string, request: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...(request.body ? { "content-type": "application/json" } : {}) };
    return fetch(this.url + path, { ...request, headers });
  }

  /** Returns the first event of a kind on the server's event stream, from its start; rejects after two minutes. */
  async change(server: string, key: string, kind: ChangeKind): Promise<Change> {
    const signal = AbortSignal.timeout(120_000);
    const { body } = await this.fetch(`/api/events?server=${server}&after=0`, key, { signal });
    let received = "";
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      received += Buffer.from(chunk).toString("utf8");
      const found = new RegExp(`^event: ${kind}\\ndata: (.*)\\n\\n`, "m").exec(received)?.[1];
      if (found !== undefined) return JSON.parse(found) as Change;
    }
    throw new Error(`the events ended without ${kind}`);
  }

  /** Opens an SMTP session and reads the greeting. */
  async greet(): Promise<SmtpDialogue> {
    const dialogue = await SmtpDialogue.connect(this.smtpPort);
    await dialogue.expect("220");
    return dialogue;
  }

  /** Sends one mail; resolves when it was answered with 250. */
  async send(to: string, subject: string): Promise<void> {
    await using dialogue = await this.greet();
    await dialogue.play(
      ["EHLO test", "250"],
      ["MAIL FROM:<app@example.com>", "250"],
      [`RCPT TO:<${to}>`, "250"],
      ["DATA", "354"],
      [`Subject: ${subject}\r\n\r\nHello\r\n.\r\n`, "250"],
      ["QUIT", "221"],
    );
  }

  /** Returns the subjects of a server's messages, newest first. */
  async subjects(server: string, key: string): Promise<readonly string[]> {
    const response = await this.fetch(`/api/messages?server=${server}`, key);
    const messages = (await response.json()) as { subject: string }[];
    return messages.map(({ subject }) => subject);
  }
}
