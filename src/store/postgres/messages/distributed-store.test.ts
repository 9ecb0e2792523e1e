import { describe } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { describeAccount } from "../../conformance/account.ts";
import { describeChanges, describeJournalLength } from "../../conformance/changes.ts";
import { describeContent } from "../../conformance/content.ts";
import { describeMessages } from "../../conformance/messages.ts";
import { reopenable, type OpenedStore } from "../../conformance/setup.ts";
import type { Store } from "../../store.ts";
import { openDatabase } from "../connection/database.ts";
import { chunkBytes } from "../content/content.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../reused-database.test-aid.ts";

/** Opens a store that runs the statements for distributed tables on ordinary tables, with the same results. */
async function open(): Promise<OpenedStore> {
  const url = await emptyDatabaseUrl();
  const openStore = async (): Promise<Store> => {
    const database = openDatabase(url);
    return createPostgresStore({ database, clock: systemClock, isDistributed: true, largeContent: null });
  };
  return reopenable(openStore, () => releaseDatabase(url));
}

describe("the PostgreSQL store with statements for distributed tables", () => {
  describe("messages", () => {
    describeMessages(open);
  });
  describe("content of messages", () => {
    describeContent(open, { chunkBytes });
  });
  describe("changes", () => {
    describeChanges(open);
  });
  describe("length of the journal", () => {
    describeJournalLength(open);
  });
  describe("usage", () => {
    describeAccount(open);
  });
});
