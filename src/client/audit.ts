import type { AuditEntry, ListAuditQuery } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { fetchPage, itemsFrom, type Page } from "./page.ts";
import type { Transport } from "./transport.ts";

/** Audit log. Requires an account key. */
export class Audit {
  readonly #transport: Transport;

  /** Use `client.audit`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches a page of the audit log, newest first. */
  async list(options: RequestOptions & ListAuditQuery = {}): Promise<Page<AuditEntry>> {
    const { signal, requestTimeout, ...query } = options;
    return fetchPage(this.#transport, {
      id: "listAudit",
      parameters: { query },
      options: { signal, requestTimeout },
    });
  }

  /** Iterates over the audit log, newest first. Fetches page after page. */
  all(options: RequestOptions & ListAuditQuery = {}): AsyncGenerator<AuditEntry, void, undefined> {
    return itemsFrom(this.list(options));
  }
}
