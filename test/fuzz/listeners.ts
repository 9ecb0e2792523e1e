/** Listeners of a running service as targets, one for each port that the service can open. */
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { openLog } from "../../src/app/log/log.ts";
import type { Ports } from "../../src/app/listeners/listeners.ts";
import { startService, type RunningService } from "../../src/app/service.ts";
import { readSettings } from "../../src/app/settings/config.ts";
import { settings } from "../../src/app/settings/table.ts";
import { port } from "../../src/app/settings/forms.ts";
import { flagOf } from "../../src/app/settings/setting.ts";
import { memoryFolder } from "../../src/testing/memory-folder.test-aid.ts";
import { fuzzAccess } from "./access.ts";
import { listenerSeeds, type ListenerName } from "./listener-seeds.ts";
import type { FuzzTarget, OpenTarget } from "./target.ts";

/** Time without an answer after which a connection is given up: most mutated sessions never end by themselves. */
const answerMsMax = 150;

/** Errors of requests that an API has with the status 500, as Mandrill's: their names are those of rejections. */
const ownErrors = /"status":"error","code":-?\d+,"name":"(?!GeneralError)/;

/** Service whose errors are collected, for the targets of its listeners. */
export class FuzzedService implements AsyncDisposable {
  readonly #service: RunningService;
  readonly #folder: string;
  readonly #errors: string[];

  private constructor(service: RunningService, folder: string, errors: string[]) {
    this.#service = service;
    this.#folder = folder;
    this.#errors = errors;
  }

  /** Starts a service with every listener of the settings on a free port. */
  static async start(): Promise<FuzzedService> {
    const folder = await mkdtemp(join(await memoryFolder(), "restante-fuzz-"));
    const errors: string[] = [];
    const log = openLog("error", { write: (line) => errors.push(line) });
    const ports = settings.filter(({ form }) => form === port).map((setting) => `--${flagOf(setting.env)}=0`);
    const environment = {
      RESTANTE_DATA_DIR: folder,
      RESTANTE_API_KEY: fuzzAccess.key,
      RESTANTE_SERVERS: `${fuzzAccess.server}:Fuzz`,
      // Faults of the protocol are found by inputs, not by waiting.
      RESTANTE_SMTP_IDLE_MS: "2000",
    };
    const { config } = readSettings(environment, ports);
    return new FuzzedService(await startService(config, { log, durable: false }), folder, errors);
  }

  /** Returns the port of a listener. */
  portOf(listener: ListenerName): number {
    const { catchers, ...own }: Ports = this.#service.ports;
    const found = { ...own, ...catchers }[listener];
    if (found === null || found === undefined) throw new Error(`the listener ${listener} is off`);
    return found;
  }

  /** Sends one input over a connection of its own. Rejects when the service logged an error or answered 500. */
  async send(listener: ListenerName, input: Buffer): Promise<void> {
    const answer = await converse(listener, this.portOf(listener), input);
    const logged = this.#errors.splice(0);
    if (logged.length > 0) throw new Error(`the service logged ${logged.join("")}`);
    if (/^HTTP\/1\.1 500 /m.test(answer) && !ownErrors.test(answer))
      throw new Error(`the service answered ${answer.slice(0, 2000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Listeners with TLS from the first byte. */
const tlsListeners: ReadonlySet<ListenerName> = new Set(["smtps", "imaps", "pop3s", "https"] as const);
/** Listeners of protocols of lines, which respond to all commands before they close a half-closed connection. */
const lineListeners: ReadonlySet<ListenerName> = new Set([
  "smtp",
  "smtps",
  "lmtp",
  "imap",
  "imaps",
  "pop3",
  "pop3s",
] as const);

const keptChunkCountMax = 64;

/** Sends bytes, and returns what was answered until the peer closed the connection or was silent. */
async function converse(listener: ListenerName, port: number, input: Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const to = { host: "127.0.0.1", port };
  const socket: Socket = tlsListeners.has(listener) ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  const answer: Buffer[] = [];
  socket.setTimeout(answerMsMax, () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    if (answer.length < keptChunkCountMax) answer.push(chunk);
  });
  // A reset is an answer too.
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    resolve(Buffer.concat(answer).toString("latin1"));
  });
  if (lineListeners.has(listener)) socket.end(input);
  else socket.write(input);
  return promise;
}

/** Returns the targets of all listeners. */
export function listenerTargets(): readonly FuzzTarget[] {
  return (Object.keys(listenerSeeds) as ListenerName[]).map((listener) => ({
    name: `listener-${listener}`,
    ...listenerSeeds[listener],
    open: async (): Promise<OpenTarget> => {
      const service = await FuzzedService.start();
      return {
        run: (input) => service.send(listener, input),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      };
    },
  }));
}
