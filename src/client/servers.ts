/** Parts of the client that concern servers. */
import type { Instant } from "./bounds.ts";
import type { Methods } from "./generated/methods.ts";
import type {
  DnsZone,
  Fault,
  PutFaultsQuery,
  PutFaultsRequest,
  PutServiceFaultsQuery,
  PutServiceFaultsRequest,
  SavedSearch,
  SearchServersQuery,
  SearchSuggestion,
  SuggestSearchesQuery,
  Summary,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Page } from "./page.ts";
import { Resource } from "./resource.ts";

/** Options of searches over all servers of the key. */
export type ServersSearchOptions = RequestOptions &
  Omit<SearchServersQuery, "q" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined };

/** Options of suggestions for searches; without `server`, they are for all servers of the key. */
export type SuggestionOptions = RequestOptions &
  Omit<SuggestSearchesQuery, "q" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined };

/** Servers: containers of messages. */
export class Servers extends Resource {
  /** Lists the servers that the key has access to. */
  readonly list: Methods["listServers"] = this.method("listServers");
  /** Creates a server; with `withKey`, also a key of this server alone. Requires an account key. */
  readonly create: Methods["createServer"] = this.method("createServer");
  /** Fetches a server. */
  readonly get: Methods["getServer"] = this.method("getServer");
  /** Changes the given members of a server. */
  readonly update: Methods["updateServer"] = this.method("updateServer");
  /** Deletes a server with its messages and keys. Requires an account key. */
  readonly delete: Methods["deleteServer"] = this.method("deleteServer");
  /** Fetches the SMTP password of a server. */
  readonly password: Methods["getServerPassword"] = this.method("getServerPassword");
  /** Replaces the SMTP password of a server. */
  readonly resetPassword: Methods["resetServerPassword"] = this.method("resetServerPassword");
  /** Fetches the zone that replaces DNS in checks of the server's mail. */
  readonly dnsZone: Methods["getDnsZone"] = this.method("getDnsZone");
  /** Deletes the zone, so that checks use DNS again. */
  readonly deleteDnsZone: Methods["deleteDnsZone"] = this.method("deleteDnsZone");
  /** Fetches the link scanner of a server. */
  readonly scanner: Methods["getScanner"] = this.method("getScanner");
  /** Sets the link scanner of a server, which opens the links of mails that arrive from then on. */
  readonly setScanner: Methods["putScanner"] = this.method("putScanner");
  /** Removes the link scanner of a server, with the scans that wait. */
  readonly deleteScanner: Methods["deleteScanner"] = this.method("deleteScanner");
  /** Lists the saved searches of a server, oldest first. */
  readonly searches: Methods["listSavedSearches"] = this.method("listSavedSearches");

  /** Sets a zone that replaces DNS in checks of the server's mail. */
  async setDnsZone(server: string, zone: string, options?: RequestOptions): Promise<DnsZone> {
    return this.method("putDnsZone")(server, { zone }, options);
  }

  /** Saves a search under a name, or replaces the one with this name. */
  async saveSearch(server: string, { name, q }: SavedSearch, options?: RequestOptions): Promise<SavedSearch> {
    return this.method("putSavedSearch")({ server, name }, { q }, options);
  }

  /** Deletes the saved search with a name. */
  async deleteSearch(server: string, name: string, options?: RequestOptions): Promise<void> {
    return this.method("deleteSavedSearch")({ server, name }, options);
  }

  /** Searches all servers that the key may access, and fetches a page of messages, newest first. */
  async searchMessages(q: string, options?: ServersSearchOptions): Promise<Page<Summary>> {
    return this.method("searchServers")({ q, ...options });
  }

  /** Returns searches that differ in one respect from a query and find messages, with the numbers of these. */
  async suggestSearches(q: string, options?: SuggestionOptions): Promise<readonly SearchSuggestion[]> {
    return this.method("suggestSearches")({ q, ...options });
  }
}

/** Rules by which the service misbehaves on purpose: errors, delays, lost replies, held mail. */
export class Faults extends Resource {
  /** Fetches the fault rules of a server with their counts and last hits. */
  readonly list: Methods["getFaults"] = this.method("getFaults");
  /** Fetches a page of the messages that a server has accepted and does not show yet, the next one first. */
  readonly held: Methods["listHeld"] = this.method("listHeld");
  /** Removes the fault rules of a server. */
  readonly clear: Methods["deleteFaults"] = this.method("deleteFaults");
  /** Fetches the fault rules of the whole service. Requires an account key. */
  readonly listForService: Methods["getServiceFaults"] = this.method("getServiceFaults");
  /** Removes the fault rules of the whole service. Requires an account key. */
  readonly clearForService: Methods["deleteServiceFaults"] = this.method("deleteServiceFaults");

  /** Replaces the fault rules of a server; their counts start at 0 unless `counts` is `keep`. */
  async replace(
    server: string,
    items: PutFaultsRequest["items"],
    options?: RequestOptions & PutFaultsQuery,
  ): Promise<readonly Fault[]> {
    return this.method("putFaults")(server, { items }, options);
  }

  /** Replaces the fault rules of the whole service as {@link replace} does. Requires an account key. */
  async replaceForService(
    items: PutServiceFaultsRequest["items"],
    options?: RequestOptions & PutServiceFaultsQuery,
  ): Promise<readonly Fault[]> {
    return this.method("putServiceFaults")({ items }, options);
  }
}
