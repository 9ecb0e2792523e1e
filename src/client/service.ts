import type {
  QuarantinedWork,
  RetryQuarantineRequest,
  ServiceStatus,
  UsageLimits,
  UsageTransaction,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** State of the service. */
export class Service {
  readonly #transport: Transport;

  /** Use `client.service`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches the state of every background task. */
  async status(options?: RequestOptions): Promise<ServiceStatus> {
    return this.#transport.call("getStatus", {}, options);
  }

  /** Fetches the work that is not attempted again because it ended the process or worker twice. */
  async quarantine(options?: RequestOptions): Promise<readonly QuarantinedWork[]> {
    return this.#transport.call("listQuarantine", {}, options);
  }

  /** Attempts quarantined work again, all by default; returns the number of pieces. */
  async retryQuarantine(request: RetryQuarantineRequest = {}, options?: RequestOptions): Promise<number> {
    const { replayed } = await this.#transport.call("retryQuarantine", { body: request }, options);
    return replayed;
  }

  /** Fetches the health of the process; throws when it does not run. */
  async health(options?: RequestOptions): Promise<string> {
    return this.#transport.call("getHealth", {}, options);
  }

  /** Fetches the readiness: `ready`, or `degraded` with the tasks that fail. Throws an `UnavailableError` when not ready. */
  async readiness(options?: RequestOptions): Promise<string> {
    return this.#transport.call("getReadiness", {}, options);
  }

  /** Fetches the metrics in the Prometheus text format. */
  async metrics(options?: RequestOptions): Promise<string> {
    return this.#transport.call("getMetrics", {}, options);
  }

  /** Fetches the limits of the account and their present use. */
  async usageLimits(options?: RequestOptions): Promise<UsageLimits> {
    return this.#transport.call("getUsageLimits", {}, options);
  }

  /** Fetches the number of messages stored on each of the last 31 days, today first. */
  async usageTransactions(options?: RequestOptions): Promise<readonly UsageTransaction[]> {
    return this.#transport.call("listTransactions", {}, options);
  }

  /** Fetches the OpenAPI document that the types of this client are made from. */
  async openApiDocument(options?: RequestOptions): Promise<unknown> {
    return this.#transport.call("getOpenApiDocument", {}, options);
  }
}
