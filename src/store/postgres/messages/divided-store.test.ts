import { describe } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { describeAccount } from "../../conformance/account.ts";
import { describeChanges } from "../../conformance/changes.ts";
import { describeMessages } from "../../conformance/messages.ts";
import { reopenable, type OpenedStore } from "../../conformance/setup.ts";
import type { Store } from "../../store.ts";
import { openDatabase } from "../connection/database.ts";
import { migrateDatabase } from "../open.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

/** Opens a store that sends the statements for divided tables to tables that are not divided: they mean the same. */
async function open(): Promise<OpenedStore> {
  const url = await testDatabaseUrl();
  await migrateDatabase({ url });
  const openStore = async (): Promise<Store> => {
    const database = openDatabase(url);
    return createPostgresStore({ database, clock: systemClock, isDistributed: true, largeContent: null });
  };
  return reopenable(openStore, () => dropDatabase(url));
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
