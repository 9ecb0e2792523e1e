/** The conformance suite with an index of very small segments over every server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import type { Page } from "../../core/criteria.ts";
import type { ServerId } from "../../core/ids.ts";
import { describeStore, partsWithTexts } from "../conformance/describe-store.ts";
import { searchingTwice, type Searched } from "../conformance/searching-twice.ts";
import { reopenable, type OpenedStore } from "../conformance/setup.ts";
import type { FoldedCriteria, SummaryPage } from "../store.ts";
import { databaseFileName } from "./backup/backup.ts";
import { connectReader, Statements } from "./connection/connection.ts";
import type { IndexSettings } from "./text-index/index-work.ts";
import { openSqliteStore } from "./open.ts";
import { Reads } from "./threads/reads.ts";
import { Search } from "./search/search.ts";

/** Settings that index every message and merge early. */
const eagerIndex: IndexSettings = {
  serverMessageCountMin: 0,
  newMessageCountMin: 1,
  segmentMessageCountMax: 6,
};

/** Settings for thousands of messages, which segments of six would merge again and again. */
const largeIndex: IndexSettings = { ...eagerIndex, newMessageCountMin: 100, segmentMessageCountMax: 300 };

async function openIndexed(index: IndexSettings): Promise<OpenedStore> {
  const directory = await mkdtemp(path.join(tmpdir(), "restante-store-"));
  const open = async () => {
    const store = await openSqliteStore({ directory, durable: false, index });
    const file = path.join(directory, databaseFileName);
    return searchingTwice(store, {
      pauseMs: 1,
      lookCountMax: 20,
      checkAgain: (searched) => {
        checkAgain(file, searched);
      },
    });
  };
  return reopenable(open, () => rm(directory, { recursive: true }));
}

describeStore(
  "indexed SQLite",
  async () => await openIndexed(eagerIndex),
  partsWithTexts.filter((part) => part !== "large servers"),
);
describeStore("indexed SQLite (segments of 300 messages)", async () => await openIndexed(largeIndex), [
  "large servers",
]);

/** Compares a result with that of a later search, which may use the index. */
function checkAgain(file: string, { server, criteria, page, answer }: Searched): void {
  const later = searchAgainNow(file, server, { criteria, page });
  // The total may be known to one of the searches only.
  const total = later.total === null || answer.total === null ? later.total : answer.total;
  if (later.cursor === answer.cursor) expect(later).toEqual({ ...answer, total, json: Buffer.from(answer.json) });
}

function searchAgainNow(
  file: string,
  server: ServerId,
  { criteria, page }: { criteria: FoldedCriteria; page: Page },
): SummaryPage {
  using database = connectReader(file);
  const reads = new Reads(database);
  const { servers, changes, segments } = reads;
  const sources = { statements: new Statements(database), servers, changes, segments, sliceMsMax: 5 };
  const search = new Search(sources, { server, criteria, page });
  for (;;) {
    const answer = reads.snapshot.read(() => search.step());
    if (answer !== undefined) return { ...answer, json: Buffer.from(answer.json) };
  }
}
