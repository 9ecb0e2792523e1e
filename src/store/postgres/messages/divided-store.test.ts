import { describe } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { describeAccount } from "../../conformance/account.ts";
import { describeChanges } from "../../conformance/changes.ts";
import { describeMessages } from "../../conformance/messages.ts";
import type { OpenedStore } from "../../conformance/setup.ts";
import { openDatabase } from "../connection/database.ts";
import { migrateDatabase } from "../open.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

/** The statements that are sent where tables are divided, on tables that are not: they mean the same. */
async function open(): Promise<OpenedStore> {
  const url = await testDatabaseUrl();
  await migrateDatabase({ url });
  const database = openDatabase(url);
  const store = createPostgresStore({ database, clock: systemClock, isDistributed: true, largeContent: null });
  return {
    store,
    dispose: async () => {
      await store.close();
      await dropDatabase(url);
    },
  };
}

describe("the store whose statements concern one server each", () => {
  describe("messages", () => {
    describeMessages(open);
  });
  describe("changes", () => {
    describeChanges(open);
  });
  describe("usage", () => {
    describeAccount(open);
  });
});
