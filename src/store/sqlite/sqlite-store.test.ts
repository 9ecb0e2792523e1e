import { rm } from "node:fs/promises";
import { describeStore } from "../conformance/describe-store.ts";
import { reopenable } from "../conformance/setup.ts";
import { directoryWithDatabase } from "./new-database.test-aid.ts";
import { openSqliteStore } from "./open.ts";

describeStore("SQLite", async () => {
  const directory = directoryWithDatabase("restante-store-");
  return reopenable(
    () => openSqliteStore({ directory, durable: false }),
    () => rm(directory, { recursive: true }),
  );
});
