import type { DeliverabilityReport, LintMessageQuery, LintReport, SpamAnalysis } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Checks of a mail before it is sent to real users. */
export class Analysis {
  readonly #transport: Transport;

  /** Use `client.analysis`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Analyses a mail with a spam filter. */
  async spam(id: string, options?: RequestOptions): Promise<SpamAnalysis> {
    return this.#transport.call("getSpamAnalysis", { path: { id } }, options);
  }

  /** Checks the authentication, the sender and the content of a mail as receivers do. */
  async deliverability(id: string, options?: RequestOptions): Promise<DeliverabilityReport> {
    return this.#transport.call("getDeliverability", { path: { id } }, options);
  }

  /** Lints a mail: headers, structure, accessibility, links, compatibility. */
  async lint(id: string, query: LintMessageQuery = {}, options?: RequestOptions): Promise<LintReport> {
    return this.#transport.call("lintMessage", { path: { id }, query }, options);
  }
}
