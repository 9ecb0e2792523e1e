/** restante within the test process, which starts in a quarter of the CPU time of a process. */
import type { Ports } from "../app/listeners/listeners.ts";
import { openLog } from "../app/log/log.ts";
import { startService, type RunningService } from "../app/service.ts";
import { readSettings } from "../app/settings/config.ts";
import { startupMessage } from "../app/startup-message.ts";
import { readVersion } from "../app/version.ts";
import { ServiceAccess } from "./service-access.ts";

/** Running service that logs nothing, for tests that are not about processes. */
export class LocalService extends ServiceAccess {
  readonly #service: RunningService;
  #stopped: Promise<void> | undefined;

  private constructor(service: RunningService) {
    super();
    this.#service = service;
  }

  /** Starts the service on free ports, with arguments and environment as `restante serve` gets them. */
  static async start(argv: readonly string[], environment: Readonly<Record<string, string>>): Promise<LocalService> {
    const ports = ["--http-port=0", "--https-port=0", "--smtp-port=0"];
    const { config } = readSettings(environment, [...ports, ...argv]);
    return new LocalService(await startService(config, { log: openLog("silent"), durable: false }));
  }

  override get message(): string {
    return startupMessage(this.#service, readVersion(), process.cwd());
  }

  /** Ports of all listeners. */
  get ports(): Ports {
    return this.#service.ports;
  }

  /** Stops the service as SIGTERM does. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#service.stop();
    await this.#stopped;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
