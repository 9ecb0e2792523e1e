/** The contract once more, with bodies of every server indexed and searched two messages at a time. */
import { expect } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { describeStore } from "../../conformance/describe-store.ts";
import { searchingTwice } from "../../conformance/searching-twice.ts";
import { reopenable } from "../../conformance/setup.ts";
import { openDatabase } from "../connection/database.ts";
import { prepareDatabase } from "../open.ts";
import { Pages } from "../messages/pages.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

const textIndex = {
  alphabet: "ascii",
  settings: { serverMessageCountMin: 0, newMessageCountMin: 1 },
  sliceMessageCount: 2,
} as const;

describeStore("indexed PostgreSQL", async () => {
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
});
