/** Imports that each room may make from other rooms. ARCHITECTURE.md shows the same table; a test compares them. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  core: [],
  client: [],
  fixtures: ["client", "testing"],
  mime: ["core"],
  analysis: ["core", "mime"],
  authentication: ["core", "mime"],
  previews: ["core", "mime", "analysis", "workers"],
  store: ["core", "store/sql"],
  "store/sql": ["core"],
  "store/conformance": ["core", "store"],
  "store/sqlite": ["core", "store", "store/sql"],
  "store/postgres": ["core", "store", "store/sql"],
  queue: ["core", "store"],
  tls: ["core"],
  workers: ["core"],
  mcp: ["core"],
  operations: [
    "core",
    "mime",
    "analysis",
    "authentication",
    "workers",
    "previews",
    "store",
    "queue",
    "egress",
    "providers",
  ],
  "ingress/smtp": ["core", "operations", "ingress/lines"],
  "ingress/lines": ["core"],
  "ingress/pop3": ["core", "operations", "ingress/lines"],
  "ingress/imap": ["core", "mime", "operations", "ingress/lines"],
  providers: ["core", "mime"],
  egress: ["core", "mime", "store", "queue", "providers"],
  http: ["core", "previews", "operations", "providers", "mcp"],
  catchers: ["core", "mime", "store", "operations", "http"],
  transfer: ["core", "store", "operations", "providers"],
  templates: ["core", "mime", "workers"],
  cli: [
    "core",
    "client",
    "http/wire",
    "app",
    "store",
    "store/sqlite",
    "store/postgres",
    "operations",
    "egress",
    "transfer",
    "mcp",
    "templates",
  ],
  app: [
    "core",
    "mime",
    "analysis",
    "authentication",
    "previews",
    "store",
    "store/sqlite",
    "store/postgres",
    "queue",
    "tls",
    "operations",
    "ingress/smtp",
    "ingress/lines",
    "ingress/pop3",
    "ingress/imap",
    "http",
    "catchers",
    "egress",
    "providers",
  ],
  testing: ["core", "app", "store", "store/sqlite", "operations", "http", "ingress/smtp", "tls"],
};

/**
 * Imports that each folder of `operations` makes from others; `services` includes `context.ts`. A folder imports only those in
 * rows above its own. ARCHITECTURE.md shows the same table.
 */
export const operationsTable: Readonly<Record<string, readonly string[]>> = {
  services: [],
  account: ["services"],
  checks: ["services"],
  devices: ["services"],
  keys: ["services"],
  marks: ["services"],
  people: ["services"],
  previews: ["services"],
  quarantine: ["services"],
  scanner: ["services"],
  tags: ["services"],
  inbound: ["services", "scanner", "tags"],
  servers: ["services", "keys", "scanner"],
  callbacks: ["services", "inbound"],
  searches: ["services", "servers"],
  faults: ["services", "callbacks"],
  sending: ["services", "inbound", "callbacks"],
  sms: ["services", "inbound"],
  "verified-addresses": ["services", "sending"],
  messages: ["services", "checks", "inbound", "callbacks", "sending", "sms"],
  providers: [
    "services",
    "checks",
    "marks",
    "scanner",
    "inbound",
    "servers",
    "callbacks",
    "sending",
    "sms",
    "messages",
  ],
  bundles: ["services", "checks", "previews", "callbacks", "messages"],
  mailboxes: ["services", "sending", "messages"],
};

/** Rooms that any test file may import in addition: they exist for tests. */
export const testRooms: readonly string[] = ["testing", "store/conformance"];

/** Returns the room of a path below `src/`: the longest room name the path starts with; undefined if there is none. */
export function roomOf(path: string): string | undefined {
  const inside = path.slice("src/".length);
  return Object.keys(importTable)
    .filter((room) => inside.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}
