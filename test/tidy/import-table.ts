/** What each room of the house may import from ours. ARCHITECTURE.md shows the same table; a test compares the two. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  core: [],
  mime: ["core"],
  analysis: ["core", "mime"],
  authentication: ["core", "mime"],
  previews: ["core", "mime", "analysis"],
  store: ["core"],
  "store/conformance": ["core", "store"],
  "store/sqlite": ["core", "store"],
  "store/postgres": ["core", "store"],
  tls: ["core"],
  workers: ["core"],
  operations: ["core", "mime", "analysis", "authentication", "workers", "previews", "store", "egress"],
  "ingress/smtp": ["core", "operations"],
  sms: ["core"],
  egress: ["core", "mime", "store", "sms"],
  http: ["core", "previews", "operations", "sms"],
  transfer: ["core", "store", "operations"],
  cli: ["core", "http/wire", "app", "store", "store/sqlite", "store/postgres", "operations", "egress", "transfer"],
  app: [
    "core",
    "mime",
    "analysis",
    "authentication",
    "previews",
    "store",
    "store/sqlite",
    "store/postgres",
    "tls",
    "operations",
    "ingress/smtp",
    "http",
    "egress",
  ],
  testing: ["core", "app", "store", "store/sqlite", "operations", "http", "ingress/smtp", "tls"],
};

/** Rooms that any test file may import besides its own room's: they exist for tests. */
export const testRooms: readonly string[] = ["testing", "store/conformance"];

/** The room of a path below `src/`: the longest room name that the path starts with; undefined for strays. */
export function roomOf(path: string): string | undefined {
  const inside = path.slice("src/".length);
  return Object.keys(importTable)
    .filter((room) => inside.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}
