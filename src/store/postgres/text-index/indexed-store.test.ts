/** The parts of the contract that concern texts, with bodies of every server indexed and searched in small slices. */
import { expect } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { describeStore, partsWithTexts } from "../../conformance/describe-store.ts";
import { searchingTwice } from "../../conformance/searching-twice.ts";
import { reopenable, type OpenedStore } from "../../conformance/setup.ts";
import { openDatabase } from "../connection/database.ts";
import { prepareDatabase } from "../open.ts";
import { Pages } from "../messages/pages.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

const indexSettings = {
  alphabet: "ascii",
  settings: { serverMessageCountMin: 0, newMessageCountMin: 1 },
} as const;

describeStore(
  "indexed PostgreSQL",
  async () => await openIndexed(2),
  partsWithTexts.filter((part) => part !== "large servers"),
);
// Slices of two would take thousands of statements for each search.
describeStore("indexed PostgreSQL, in slices of 500 messages,", async () => await openIndexed(500), ["large servers"]);

async function openIndexed(sliceMessageCount: number): Promise<OpenedStore> {
  const textIndex = { ...indexSettings, sliceMessageCount };
  const url = await testDatabaseUrl();
  await prepareDatabase({ url, searchIndex: "auto" });
  const asking = openDatabase(url, { connectionCountMax: 2 });
  const later = () => new Pages(asking, { sliceMessageCount: textIndex.sliceMessageCount, index: textIndex });
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
      pauseMs: 5,
      lookCountMax: 10,
      checkAgain: async ({ server, criteria, page, answer }) => {
        const again = await later().search(server, criteria, page);
        if (again.cursor === answer.cursor) expect(again).toEqual(answer);
      },
    });
  };
  return reopenable(open, async () => {
    await asking.close();
    await dropDatabase(url);
  });
}
