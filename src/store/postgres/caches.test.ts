import { describe } from "vitest";
import { describeCaches } from "../conformance/caches.ts";
import { openPostgresStore } from "./open.ts";
import { emptyDatabaseUrl, releaseDatabase } from "./reused-database.test-aid.ts";

describe("a PostgreSQL store", () => {
  describeCaches(async () => {
    const url = await emptyDatabaseUrl();
    const store = await openPostgresStore({ url });
    return {
      store,
      openUncached: async () => {
        const other = await openPostgresStore({ url });
        return { store: other, close: async () => other.close() };
      },
      close: async () => {
        await store.close();
        await releaseDatabase(url);
      },
    };
  }, 3);
});
