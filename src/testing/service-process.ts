/** restante in a process of its own, as users run it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { memoryProfile, type MemoryProfile } from "../app/memory-profile.ts";
import { mainFileVariable } from "./run-variables.ts";
import { ServiceAccess } from "./service-access.ts";

/** Options for starting a process. */
export interface ProcessOptions {
  /** Environment of the process, in addition to {@link processEnvironment}. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Script to run; default: {@link mainFile}. */
  readonly main?: string;
  /** Command that runs the process, such as `nsenter` with its arguments. */
  readonly prefix?: readonly string[];
  /** Working directory; default: that of this process. */
  readonly folder?: string;
  /** Executable of Node; default: that of this process. */
  readonly node?: string;
}

/** Exit status and output of a process. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
}

/** Command line tool: the bundle of the test run, or the sources. */
export const mainFile: string = process.env[mainFileVariable] ?? join(import.meta.dirname, "..", "cli", "main.ts");

/** Environment of every process that tests start: PATH, and the compile cache, which halves the time of a start. */
export const processEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Runs a command until it exits. */
export async function runCommand(argv: readonly string[], options: ProcessOptions = {}): Promise<Ending> {
  return new RunningCommand(argv, options).ended;
}

/** Running `restante serve` that is ready. */
export class ServiceProcess extends ServiceAccess {
  readonly #command: RunningCommand;

  private constructor(command: RunningCommand) {
    super();
    this.#command = command;
  }

  /** Starts the service on free ports; rejects with its output when it exits instead. */
  static async start(argv: readonly string[], options: ProcessOptions = {}): Promise<ServiceProcess> {
    const command = new RunningCommand(["serve", "--http-port=0", "--https-port=0", "--smtp-port=0", ...argv], options);
    const isReady = command.said(/ is ready\.[^]*\n$/);
    const ending = await Promise.race([isReady, command.ended]);
    if (ending !== undefined) throw new Error(`The service exited with ${ending.code}: ${ending.error}`);
    return new ServiceProcess(command);
  }

  /** Standard output so far. */
  override get message(): string {
    return this.#command.out;
  }

  /** Process id. */
  get pid(): number {
    return this.#command.child.pid ?? 0;
  }

  /** Standard error so far. */
  get errors(): string {
    return this.#command.error;
  }

  /** Waits for the first line of standard error that matches, and returns it. */
  async logged(pattern: RegExp): Promise<string> {
    const lineThere = (): string | undefined => this.errors.split("\n").find((line) => pattern.test(line));
    await this.#command.wrote(() => lineThere() !== undefined);
    return lineThere() ?? "";
  }

  signal(signal: NodeJS.Signals): void {
    this.#command.child.kill(signal);
  }

  /** Resolves when the process has exited. */
  get ended(): Promise<Ending> {
    return this.#command.ended;
  }

  /** Sends SIGTERM and returns the exit status and output. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ending> {
    this.signal(signal);
    return this.ended;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}

const noProfile: Pick<MemoryProfile, "environment"> & { readonly flags: readonly string[] } = {
  flags: [],
  environment: {},
};

/** Whether the command would re-execute itself, which takes an eighth of the CPU time of a start. */
function isReExecuted([command]: readonly string[], { main, node }: ProcessOptions): boolean {
  return command === "serve" && main === undefined && node === undefined;
}

class RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  out = "";
  error = "";

  constructor(argv: readonly string[], options: ProcessOptions) {
    const { environment = {}, main = mainFile, folder, node = process.execPath, prefix = [] } = options;
    const memory = isReExecuted(argv, options) ? memoryProfile(argv, environment) : noProfile;
    const env = { ...processEnvironment, ...memory.environment, ...environment };
    const cwd = folder ?? process.cwd();
    const [program = node, ...words] = [...prefix, node, ...memory.flags, main, ...argv];
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

  /** Resolves when the condition holds after output on standard error, or when the process exits. */
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
