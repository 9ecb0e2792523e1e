/** The conformance suite with an index of very small segments over every server. */
import { rm } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { describeStore, partsWithTexts, type StorePart } from "../conformance/describe-store.ts";
import { searchingTwice, type Searched } from "../conformance/searching-twice.ts";
import { reopenable, type OpenedStore } from "../conformance/setup.ts";
import type { SummaryPage } from "../store.ts";
import { databaseFileName } from "./connection/store-directory.ts";
import { connectReader, Statements } from "./connection/connection.ts";
import { countUnindexed } from "./text-index/segments.ts";
import type { IndexSettings } from "./text-index/index-work.ts";
import { directoryWithDatabase } from "./new-database.test-aid.ts";
import { openSqliteStore, type ThreadStarters } from "./open.ts";
import { Reads } from "./threads/reads.ts";
import { sameThread } from "./threads/same-thread.test-aid.ts";
import { Search } from "./search/search.ts";

/** Settings that index every message and merge early. */
const eagerIndex: IndexSettings = {
  serverMessageCountMin: 0,
  newMessageCountMin: 1,
  segmentMessageCountMax: 6,
};

/** Settings for thousands of messages, which segments of six would merge again and again. */
const largeIndex: IndexSettings = { ...eagerIndex, newMessageCountMin: 100, segmentMessageCountMax: 300 };

/** Parts about calls at the same time and about opening and closing, whose threads are those of the service. */
const partsWithThreads: readonly StorePart[] = ["concurrency", "lifecycle", "comparison with a model"];

async function openIndexed(index: IndexSettings, threads?: ThreadStarters): Promise<OpenedStore> {
  const directory = directoryWithDatabase("restante-store-");
  const open = async () => {
    const store = await openSqliteStore({ directory, durable: false, index, ...(threads && { threads }) });
    let again: SearchAgain | undefined;
    const second = (): SearchAgain => (again ??= new SearchAgain(path.join(directory, databaseFileName), index));
    return searchingTwice(store, {
      hasCaughtUp: () => second().hasCaughtUp(),
      checkAgain: (searched) => {
        checkAgain(searched, second().search(searched));
      },
      onClose: () => {
        again?.close();
        again = undefined;
      },
    });
  };
  return reopenable(open, () => rm(directory, { recursive: true }));
}

describeStore(
  "indexed SQLite",
  async () => await openIndexed(eagerIndex, sameThread),
  partsWithTexts.filter((part) => part !== "large servers" && !partsWithThreads.includes(part)),
);
describeStore("indexed SQLite in threads", async () => await openIndexed(eagerIndex), partsWithThreads);
describeStore("indexed SQLite (segments of 300 messages)", async () => await openIndexed(largeIndex), [
  "large servers",
]);

/** Compares a result with that of a later search, which may use the index. */
function checkAgain({ answer }: Searched, later: SummaryPage): void {
  // The total may be known to one of the searches only.
  const total = later.total === null || answer.total === null ? later.total : answer.total;
  if (later.cursor === answer.cursor) expect(later).toEqual({ ...answer, total, json: Buffer.from(answer.json) });
}

/** Searches over a connection of its own, as the reader thread does. */
class SearchAgain {
  readonly #database: DatabaseSync;
  readonly #reads: Reads;
  readonly #statements: Statements;
  readonly #index: IndexSettings;

  constructor(file: string, index: IndexSettings) {
    this.#database = connectReader(file);
    this.#reads = new Reads(this.#database);
    this.#statements = new Statements(this.#database);
    this.#index = index;
  }

  hasCaughtUp(): boolean {
    const { snapshot, segments } = this.#reads;
    return snapshot.read(() => countUnindexed(this.#statements, segments, this.#index.serverMessageCountMin) === 0);
  }

  close(): void {
    this.#database.close();
  }

  search({ server, expression, page }: Searched): SummaryPage {
    const { servers, changes, segments, snapshot } = this.#reads;
    const sources = { statements: this.#statements, servers, changes, segments, sliceMsMax: 5 };
    const search = new Search(sources, { server, expression, page, result: "summaries" });
    for (;;) {
      const answer = snapshot.read(() => search.step()) as SummaryPage | undefined;
      if (answer !== undefined) return { ...answer, json: Buffer.from(answer.json) };
    }
  }
}
