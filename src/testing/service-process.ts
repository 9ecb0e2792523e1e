/** restante as a process of its own, as a user runs it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Change, ChangeKind } from "../core/change.ts";
import { SmtpDialogue } from "./smtp-dialogue.ts";

/** How a process is started. */
export interface ProcessOptions {
  /** Beside the settings given here, the process's environment has nothing but PATH. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The program; the one in the sources unless said otherwise. */
  readonly main?: string;
  /** Words in front of the call, such as `nsenter` and its arguments. */
  readonly prefix?: readonly string[];
  /** Where it stands; where this process stands unless said otherwise. */
  readonly folder?: string;
  /** Executable of Node; the one that runs this process unless said otherwise. */
  readonly node?: string;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
}

const sourceMain = join(import.meta.dirname, "..", "cli", "main.ts");

/** Runs a command to its end. */
export async function runCommand(argv: readonly string[], options: ProcessOptions = {}): Promise<Ending> {
  return new RunningCommand(argv, options).ended;
}

/** `restante serve` that is ready. */
export class ServiceProcess implements AsyncDisposable {
  readonly #command: RunningCommand;

  private constructor(command: RunningCommand) {
    this.#command = command;
  }

  /** Starts it on free ports; rejects with what it said when it ends instead. */
  static async start(argv: readonly string[], options: ProcessOptions = {}): Promise<ServiceProcess> {
    const command = new RunningCommand(["serve", "--http-port=0", "--https-port=0", "--smtp-port=0", ...argv], options);
    const isReady = command.said(/ is ready\.[^]*\n$/);
    const ending = await Promise.race([isReady, command.ended]);
    if (ending !== undefined) throw new Error(`The service ended with ${ending.code}: ${ending.error}`);
    return new ServiceProcess(command);
  }

  /** What it printed at the start. */
  get message(): string {
    return this.#command.out;
  }

  /** Process id. */
  get pid(): number {
    return this.#command.child.pid ?? 0;
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#command.error;
  }

  /** The first line of standard error that matches; resolves when it has been written. */
  async logged(pattern: RegExp): Promise<string> {
    const lineThere = (): string | undefined => this.errors.split("\n").find((line) => pattern.test(line));
    await this.#command.wrote(() => lineThere() !== undefined);
    return lineThere() ?? "";
  }

  /** A value of the start message: the first word after the name. */
  shown(name: string): string {
    return new RegExp(`^  ${name} +(\\S+)`, "m").exec(this.message)?.[1] ?? "";
  }

  get smtpPort(): number {
    return Number(this.shown("SMTP").split(":").at(-1));
  }

  get url(): string {
    return this.shown("API");
  }

  /** Asks the API. */
  async fetch(path: string, key: string, request: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...(request.body ? { "content-type": "application/json" } : {}) };
    return fetch(this.url + path, { ...request, headers });
  }

  /** The first change of a kind that the server's events tell, from its first one on; rejects after 20 seconds. */
  async change(server: string, key: string, kind: ChangeKind): Promise<Change> {
    const signal = AbortSignal.timeout(20_000);
    const { body } = await this.fetch(`/api/events?server=${server}&after=0`, key, { signal });
    let heard = "";
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      heard += Buffer.from(chunk).toString("utf8");
      const found = new RegExp(`^event: ${kind}\\ndata: (.*)\\n\\n`, "m").exec(heard)?.[1];
      if (found !== undefined) return JSON.parse(found) as Change;
    }
    throw new Error(`the events ended without ${kind}`);
  }

  /** Opens an SMTP session up to the greeting. */
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

  /** Subjects of a server's messages, newest first. */
  async subjects(server: string, key: string): Promise<readonly string[]> {
    const response = await this.fetch(`/api/messages?server=${server}`, key);
    const messages = (await response.json()) as { subject: string }[];
    return messages.map(({ subject }) => subject);
  }

  signal(signal: NodeJS.Signals): void {
    this.#command.child.kill(signal);
  }

  /** Resolves when it has ended. */
  get ended(): Promise<Ending> {
    return this.#command.ended;
  }

  /** Asks it to end, and tells how it did. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ending> {
    this.signal(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}

class RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  out = "";
  error = "";

  constructor(argv: readonly string[], options: ProcessOptions) {
    const { environment = {}, main = sourceMain, folder, node = process.execPath, prefix = [] } = options;
    const env = { PATH: process.env["PATH"] ?? "", ...environment };
    const cwd = folder ?? process.cwd();
    const [program = node, ...words] = [...prefix, node, main, ...argv];
    const child = spawn(program, words, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.error += text));
    this.child = child;
    this.ended = this.#end();
  }

  /** Resolves when standard output matches. */
  async said(pattern: RegExp): Promise<undefined> {
    while (!pattern.test(this.out) && this.child.stdout !== null) await once(this.child.stdout, "data");
  }

  /** Resolves when the condition holds after something was written to standard error, or at the end. */
  async wrote(isReached: () => boolean): Promise<void> {
    const { child } = this;
    while (!isReached() && child.stderr !== null && child.exitCode === null && child.signalCode === null) {
      await Promise.race([once(child.stderr, "data"), this.ended]);
    }
  }

  async #end(): Promise<Ending> {
    const [code, signal] = (await once(this.child, "close")) as [number | null, NodeJS.Signals | null];
    return { code, signal, out: this.out, error: this.error };
  }
}
