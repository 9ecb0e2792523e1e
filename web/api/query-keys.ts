/** Keys of everything in the query cache. A key begins with those whose invalidation includes it. */
import type { QueryKey } from "@tanstack/react-query";

/** The keys, by what is cached under them. */
export const queryKeys = {
  session: ["session"],
  issuers: ["issuers"],
  status: ["status"],
  disk: ["disk"],
  audit: ["audit"],
  servers: ["servers"],
  /** The newest message of a server with that many messages. */
  lastMessage: (server: string, messageCount: number): QueryKey => ["last-message", server, messageCount],
  password: (server: string): QueryKey => ["password", server],
  apiKeys: ["api-keys"],
  verifiedAddresses: ["verified-addresses"],
  phoneNumbers: ["phone-numbers"],
  approvedPhrases: ["approved-phrases"],
  devices: ["devices"],
  oneTimePassword: (device: string): QueryKey => ["one-time-password", device],
  usage: ["usage"],
  usageOf: (what: string, choice: string): QueryKey => [...queryKeys.usage, what, choice],
  /** Everything that changes when messages of the server change. */
  serverMessages: (server: string): QueryKey => ["server-messages", server],
  messagePages: (server: string): QueryKey => [...queryKeys.serverMessages(server), "page"],
  messagePage: (server: string, query: string, page: number): QueryKey => [
    ...queryKeys.messagePages(server),
    query,
    page,
  ],
  /** Number of matches of a list; apart from its pages, because counting takes longer. */
  matchCount: (server: string, query: string): QueryKey => ["match-count", server, query],
  activity: (server: string): QueryKey => [...queryKeys.serverMessages(server), "activity"],
  /** Everything that changes when flags or tags of messages of the server change. */
  allMarks: (server: string): QueryKey => [...queryKeys.serverMessages(server), "marks"],
  marks: (server: string): QueryKey => [...queryKeys.allMarks(server), "changes"],
  tags: (server: string): QueryKey => [...queryKeys.allMarks(server), "tags"],
  unread: (server: string): QueryKey => [...queryKeys.allMarks(server), "unread"],
  messageMarks: (message: string): QueryKey => ["message-marks", message],
  liveConversation: (server: string, message: string): QueryKey => [
    ...queryKeys.serverMessages(server),
    "conversation",
    message,
  ],
  savedSearches: (server: string): QueryKey => ["saved-searches", server],
  allSuggestions: ["search-suggestions"],
  searchSuggestions: (path: string): QueryKey => [...queryKeys.allSuggestions, path],
  /** Pages of searches over all servers. */
  allServers: ["all-servers"],
  knownTags: (server: string): QueryKey => ["known-tags", server],
  message: (id: string): QueryKey => ["message", id],
  /** Conversations that are loaded only for their number of messages. */
  conversations: ["conversation"],
  conversation: (message: string): QueryKey => ["conversation", message],
  excerpts: (ids: readonly string[]): QueryKey => ["excerpts", ids.join()],
  passages: (rows: string): QueryKey => ["passages", rows],
  trace: (message: string): QueryKey => ["trace", message],
  transcript: (message: string): QueryKey => ["transcript", message],
  scan: (message: string): QueryKey => ["scan", message],
  tagging: (server: string): QueryKey => ["tagging", server],
  /** Messages that a query finds now. */
  matches: (server: string, q: string): QueryKey => [...queryKeys.serverMessages(server), "matches", q],
  optionalSettings: (server: string): QueryKey => ["optional-settings", server],
  lint: (message: string): QueryKey => ["lint", message],
  reports: (message: string): QueryKey => ["reports", message],
  compatibility: (message: string): QueryKey => ["compatibility", message],
  deliverability: (message: string): QueryKey => ["deliverability", message],
  fileStart: (path: string, bytesMax: number): QueryKey => ["file-start", path, bytesMax],
  fileBytes: (path: string): QueryKey => ["file-bytes", path],
  signedUrl: (url: string): QueryKey => ["signed-url", url],
  callbackFormats: ["callback-formats"],
  /** Targets and deliveries of the server. */
  callbacks: (server: string): QueryKey => ["callbacks", server],
  targets: (server: string, collection: string): QueryKey => [...queryKeys.callbacks(server), collection],
  deliveries: (server: string, status: string): QueryKey => [...queryKeys.callbacks(server), "deliveries", status],
  delivery: (server: string, id: string): QueryKey => [...queryKeys.callbacks(server), "delivery", id],
  held: (server: string): QueryKey => ["held", server],
  faults: (server: string | null): QueryKey => ["faults", server],
  emailClients: ["email-clients"],
  previews: ["preview"],
  preview: (id: string): QueryKey => [...queryKeys.previews, id],
} as const;
