import { describeStore } from "../conformance/describe-store.ts";
import { reopenable } from "../conformance/setup.ts";
import { openPostgresStore } from "./open.ts";
import { emptyDatabaseUrl, releaseDatabase } from "./reused-database.test-aid.ts";

describeStore("PostgreSQL", async () => {
  const url = await emptyDatabaseUrl();
  return reopenable(
    () => openPostgresStore({ url }),
    () => releaseDatabase(url),
  );
});
