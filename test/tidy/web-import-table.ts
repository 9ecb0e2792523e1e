/** Imports that each room of the web UI may make from others. ARCHITECTURE.md shows the same table; a test compares the two. */
export const webImportTable: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  navigation: [],
  marks: ["api", "navigation", "shared"],
  early: ["navigation"],
  api: ["navigation"],
  live: ["api", "navigation", "shared"],
  connect: ["api", "shared"],
  compose: ["api", "navigation", "shared"],
  keys: ["api", "shared"],
  servers: ["api", "navigation", "shared"],
  faults: ["api", "shared"],
  webhooks: ["api", "shared"],
  settings: ["api", "keys", "navigation", "shared"],
  account: ["api", "navigation", "shared"],
  people: ["api", "navigation", "shared"],
  activity: ["api", "shared"],
  translations: ["api", "navigation", "shared"],
  message: ["api", "compose", "connect", "marks", "navigation", "shared"],
  list: ["api", "marks", "navigation", "shared"],
  mail: ["api", "connect", "list", "marks", "message", "navigation", "shared"],
  search: ["api", "list", "navigation", "shared"],
  palette: ["api", "navigation", "shared"],
  testing: ["api", "shared"],
  app: [
    "account",
    "activity",
    "api",
    "compose",
    "connect",
    "faults",
    "keys",
    "live",
    "mail",
    "navigation",
    "palette",
    "people",
    "search",
    "servers",
    "settings",
    "shared",
    "translations",
    "webhooks",
  ],
};

/** Modules of the web UI that every room may import: they import no room. */
export const webLeaves: readonly string[] = [
  "web/base-path.ts",
  "web/strings.ts",
  "web/page-strings.ts",
  "web/wire.ts",
];

/** Returns the room of a path below `web/`; undefined for files at the top. */
export function webRoomOf(path: string): string | undefined {
  const [, room, file] = path.split("/");
  return file === undefined ? undefined : room;
}
