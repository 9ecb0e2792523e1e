import { boundsOf, type Instant } from "./bounds.ts";
import type {
  SavedSearch,
  CreateServerRequest,
  DnsZone,
  NewServer,
  Password,
  PutScannerRequest,
  Scanner,
  SearchServersQuery,
  SearchSuggestion,
  Server,
  SuggestSearchesQuery,
  Summary,
  UpdateServerRequest,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { fetchPage, type Page } from "./page.ts";
import type { Transport } from "./transport.ts";

/** Options of searches over all servers of the key. */
export type ServersSearchOptions = RequestOptions &
  Omit<SearchServersQuery, "q" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined };

/** Options of suggestions for searches; without `server`, they are for all servers of the key. */
export type SuggestionOptions = RequestOptions &
  Omit<SuggestSearchesQuery, "q" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined };

/** Servers: containers of messages. */
export class Servers {
  readonly #transport: Transport;

  /** Use `client.servers`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the servers that the key has access to. */
  async list(options?: RequestOptions): Promise<readonly Server[]> {
    return this.#transport.call("listServers", {}, options);
  }

  /** Creates a server; with `withKey`, also a key of this server alone. Requires an account key. */
  async create(fields: CreateServerRequest, options?: RequestOptions): Promise<NewServer> {
    return this.#transport.call("createServer", { body: fields }, options);
  }

  /** Fetches a server. */
  async get(id: string, options?: RequestOptions): Promise<Server> {
    return this.#transport.call("getServer", { path: { id } }, options);
  }

  /** Changes the given members of a server. */
  async update(id: string, fields: UpdateServerRequest, options?: RequestOptions): Promise<Server> {
    return this.#transport.call("updateServer", { path: { id }, body: fields }, options);
  }

  /** Deletes a server with its messages and keys. Requires an account key. */
  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteServer", { path: { id } }, options);
  }

  /** Fetches the SMTP password of a server. */
  async password(id: string, options?: RequestOptions): Promise<Password> {
    return this.#transport.call("getServerPassword", { path: { id } }, options);
  }

  /** Replaces the SMTP password of a server. */
  async resetPassword(id: string, options?: RequestOptions): Promise<Password> {
    return this.#transport.call("resetServerPassword", { path: { id } }, options);
  }

  /** Fetches the zone that replaces DNS in checks of the server's mail. */
  async dnsZone(id: string, options?: RequestOptions): Promise<DnsZone> {
    return this.#transport.call("getDnsZone", { path: { id } }, options);
  }

  /** Sets a zone that replaces DNS in checks of the server's mail. */
  async setDnsZone(id: string, zone: string, options?: RequestOptions): Promise<DnsZone> {
    return this.#transport.call("putDnsZone", { path: { id }, body: { zone } }, options);
  }

  /** Deletes the zone, so that checks use DNS again. */
  async deleteDnsZone(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteDnsZone", { path: { id } }, options);
  }

  /** Fetches the link scanner of a server. */
  async scanner(id: string, options?: RequestOptions): Promise<Scanner> {
    return this.#transport.call("getScanner", { path: { id } }, options);
  }

  /** Sets the link scanner of a server, which opens the links of mails that arrive from then on. */
  async setScanner(id: string, scanner: PutScannerRequest, options?: RequestOptions): Promise<Scanner> {
    return this.#transport.call("putScanner", { path: { id }, body: scanner }, options);
  }

  /** Removes the link scanner of a server, with the scans that wait. */
  async deleteScanner(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteScanner", { path: { id } }, options);
  }

  /** Lists the saved searches of a server, oldest first. */
  async searches(id: string, options?: RequestOptions): Promise<readonly SavedSearch[]> {
    return this.#transport.call("listSavedSearches", { path: { id } }, options);
  }

  /** Saves a search under a name, or replaces the one with this name. */
  async saveSearch(id: string, { name, q }: SavedSearch, options?: RequestOptions): Promise<SavedSearch> {
    return this.#transport.call("putSavedSearch", { path: { id, name }, body: { q } }, options);
  }

  /** Deletes the saved search with a name. */
  async deleteSearch(id: string, name: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("deleteSavedSearch", { path: { id, name } }, options);
  }

  /** Searches all servers that the key may access, and fetches a page of messages, newest first. */
  async searchMessages(q: string, options: ServersSearchOptions = {}): Promise<Page<Summary>> {
    const { signal, requestTimeout, receivedAfter, ...rest } = options;
    const query = { q, ...rest, ...boundsOf({ receivedAfter }) };
    return fetchPage(this.#transport, {
      id: "searchServers",
      parameters: { query },
      options: { signal, requestTimeout },
    });
  }

  /** Returns searches that differ in one respect from a query and find messages, with the numbers of these. */
  async suggestSearches(q: string, options: SuggestionOptions = {}): Promise<readonly SearchSuggestion[]> {
    const { signal, requestTimeout, receivedAfter, ...rest } = options;
    const query = { q, ...rest, ...boundsOf({ receivedAfter }) };
    return this.#transport.call("suggestSearches", { query }, { signal, requestTimeout });
  }
}
