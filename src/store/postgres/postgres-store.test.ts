import { describeStore } from "../conformance/describe-store.ts";
import type { Store } from "../store.ts";
import { openPostgresStore } from "./open.ts";
import { dropDatabase, testDatabaseUrl } from "./postgres.test-aid.ts";

describeStore("PostgreSQL", async () => {
  const url = await testDatabaseUrl();
  const open = () => openPostgresStore({ url });
  let current: Store = await open();
  return {
    store: current,
    reopen: async () => {
      await current.close();
      current = await open();
      return current;
    },
    dispose: async () => {
      await current.close();
      await dropDatabase(url);
    },
  };
});
