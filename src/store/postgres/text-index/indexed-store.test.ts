/** Conformance tests of searches, with the texts of every server indexed and searched in small slices. */
import { expect } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { describeStore, partsWithTexts } from "../../conformance/describe-store.ts";
import { searchingTwice } from "../../conformance/searching-twice.ts";
import { reopenable, type OpenedStore } from "../../conformance/setup.ts";
import { openDatabase } from "../connection/database.ts";
import { countUnindexed } from "./text-index.ts";
import { Pages } from "../messages/pages.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../reused-database.test-aid.ts";
import { eagerIndex } from "./text-index.test-aid.ts";

const indexSettings = { settings: eagerIndex } as const;

describeStore(
  "indexed PostgreSQL",
  async () => await openIndexed(2),
  partsWithTexts.filter((part) => part !== "large servers"),
);
// Slices of two messages would require thousands of statements per search.
describeStore("indexed PostgreSQL (slices of 500 messages)", async () => await openIndexed(500), ["large servers"]);

async function openIndexed(sliceMessageCount: number): Promise<OpenedStore> {
  const textIndex = { ...indexSettings, sliceMessageCount };
  const url = await emptyDatabaseUrl();
  const searchDatabase = openDatabase(url, { connectionCountMax: 2 });
  const newPages = () => new Pages(searchDatabase, { sliceMessageCount, usesIndex: true });
  const open = async () => {
    const database = openDatabase(url);
    const store = createPostgresStore({
      database,
      clock: systemClock,
      isDistributed: false,
      largeContent: null,
      textIndex,
    });
    return searchingTwice(store, {
      hasCaughtUp: async () => (await countUnindexed(searchDatabase, eagerIndex)) === 0,
      checkAgain: async ({ server, expression, page, answer }) => {
        const again = await newPages().search(server, expression, page);
        if (again.cursor === answer.cursor) expect(again).toEqual(answer);
      },
    });
  };
  return reopenable(open, async () => {
    await searchDatabase.close();
    await releaseDatabase(url);
  });
}
