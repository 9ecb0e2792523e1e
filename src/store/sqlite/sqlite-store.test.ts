import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeStore } from "../conformance/describe-store.ts";
import { reopenable } from "../conformance/setup.ts";
import { openSqliteStore } from "./open.ts";

describeStore("SQLite", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "restante-store-"));
  return reopenable(
    () => openSqliteStore({ directory, durable: false }),
    () => rm(directory, { recursive: true }),
  );
});
