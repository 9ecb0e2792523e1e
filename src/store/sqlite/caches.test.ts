import { describe } from "vitest";
import { describeCaches } from "../conformance/caches.ts";
import { directoryWithDatabase } from "./new-database.test-aid.ts";
import { openParts } from "./open.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import { sameThread } from "./threads/same-thread.test-aid.ts";

describe("a SQLite store", () => {
  describeCaches(async () => {
    const directory = directoryWithDatabase("restante-caches-");
    const parts = openParts({ directory, durable: false, threads: sameThread });
    const store = createSqliteStore(parts);
    return {
      store,
      // Over the same threads and connections, which have no caches of results.
      openUncached: async () => ({ store: createSqliteStore(parts), close: async () => undefined }),
      close: async () => store.close(),
    };
  }, 12);
});
