import { describeStore } from "../conformance/describe-store.ts";
import { reopenable } from "../conformance/setup.ts";
import { openPostgresStore } from "./open.ts";
import { dropDatabase, testDatabaseUrl } from "./postgres.test-aid.ts";

describeStore("PostgreSQL", async () => {
  const url = await testDatabaseUrl();
  return reopenable(
    () => openPostgresStore({ url }),
    () => dropDatabase(url),
  );
});
