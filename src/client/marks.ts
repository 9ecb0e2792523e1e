import type {
  ListMarksQuery,
  MarkedMessage,
  MarkMessagesRequest,
  MarkResult,
  Marks,
  PutMarksRequest,
  PutTagRulesRequest,
  Tag,
  Tagging,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Flags and tags of messages. */
export class MessageMarks {
  readonly #transport: Transport;

  /** Use `client.marks`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Fetches the flags and tags of a message. */
  async get(id: string, options?: RequestOptions): Promise<Marks> {
    return this.#transport.call("getMarks", { path: { id } }, options);
  }

  /** Replaces the flags and tags of a message. */
  async put(id: string, fields: PutMarksRequest, options?: RequestOptions): Promise<Marks> {
    return this.#transport.call("putMarks", { path: { id }, body: fields }, options);
  }

  /** Adds and removes flags and tags of up to 1,000 messages of a server. */
  async change(server: string, fields: MarkMessagesRequest, options?: RequestOptions): Promise<MarkResult> {
    // What is added or removed twice is the same.
    const repeatable = { ...options, isRepeatable: true };
    return this.#transport.call("markMessages", { query: { server }, body: fields }, repeatable);
  }

  /** Lists the marks in a server that changed after a point, ordered by their last change. */
  async list(server: string, options: RequestOptions & ListMarksQuery = {}): Promise<readonly MarkedMessage[]> {
    const { signal, requestTimeout, ...query } = options;
    return this.#transport.call("listMarks", { path: { id: server }, query }, { signal, requestTimeout });
  }

  /** Fetches the settings of a server for tags of messages that arrive. */
  async rules(server: string, options?: RequestOptions): Promise<Tagging> {
    return this.#transport.call("getTagRules", { path: { id: server } }, options);
  }

  /** Replaces the settings of a server for tags of messages that arrive. */
  async putRules(server: string, fields: PutTagRulesRequest, options?: RequestOptions): Promise<Tagging> {
    return this.#transport.call("putTagRules", { path: { id: server }, body: fields }, options);
  }

  /** Lists the tags in a server, and how many messages have each. */
  async tags(server: string, options?: RequestOptions): Promise<readonly Tag[]> {
    return this.#transport.call("listTags", { path: { id: server } }, options);
  }
}
