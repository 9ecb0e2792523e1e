import { describe } from "vitest";
import { describeCaches } from "../conformance/caches.ts";
import { openDatabase } from "./connection/database.ts";
import { openPostgresStore } from "./open.ts";
import { emptyDatabaseUrl, releaseDatabase } from "./reused-database.test-aid.ts";

describe("a PostgreSQL store", () => {
  describeCaches(async () => {
    const url = await emptyDatabaseUrl();
    const store = await openPostgresStore({ url });
    const editing = openDatabase(url, { connectionCountMax: 1 });
    return {
      store,
      openUncached: async () => {
        const other = await openPostgresStore({ url });
        return { store: other, close: async () => other.close() };
      },
      removeFields: async () => {
        await editing.query("/* all servers */ update message set fields = null, size = null");
      },
      close: async () => {
        await editing.close();
        await store.close();
        await releaseDatabase(url);
      },
    };
  }, 3);
});
