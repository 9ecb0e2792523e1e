import { describeStore } from "../conformance/describe-store.ts";
import { reopenable } from "../conformance/setup.ts";
import { openPostgresStore } from "./open.ts";
import { dropDatabase, migratedDatabaseUrl } from "./postgres.test-aid.ts";

describeStore("PostgreSQL", async () => {
  const url = await migratedDatabaseUrl();
  return reopenable(
    () => openPostgresStore({ url }),
    () => dropDatabase(url),
  );
});
