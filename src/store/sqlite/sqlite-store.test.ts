import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeStore } from "../conformance/describe-store.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./open.ts";

describeStore("SQLite", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "restante-store-"));
  const open = () => openSqliteStore({ directory, durable: false });
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
      await rm(directory, { recursive: true });
    },
  };
});
