import { join } from "node:path";
import { createIdSource, newServerId } from "../../src/core/ids.ts";
import { defaultIndexSettings } from "../../src/store/sqlite/index-work.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { NewMessage } from "../../src/store/store.ts";
import { median, printTable, ratio, whole } from "../report.ts";
import { createCorpus } from "./corpus.ts";
import { caughtUp } from "./growth.ts";
import { toMessage } from "./mail.ts";

const rounds = 3;
/** Made beforehand; so many more than a segment holds that one of them never repeats another. */
const poolSize = 3000;
const messagesBefore = 6000;
const messagesMeasured = 9000;
const senderCount = 20;

/** Messages accepted per second, durably, with and without an index that runs behind; how far behind; how fast after. */
export async function benchAccept(directory: string): Promise<void> {
  const corpus = createCorpus(2);
  const ids = createIdSource(Date.now);
  const server = newServerId();
  const pool = Array.from({ length: poolSize }, (_, index) => toMessage(corpus(index), server, ids));
  const bare: Accepted[] = [];
  const indexed: Accepted[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [results, isIndexed] of [
      [bare, false],
      [indexed, true],
    ] as const) {
      const path = join(directory, `accept-${round}-${isIndexed ? "indexed" : "bare"}`);
      results.push(await accept(path, isIndexed, pool));
    }
  }
  const rates = [bare, indexed].map((results) => median(results.map(({ rate }) => rate)));
  const [bareRate = 0, indexedRate = 0] = rates;
  printTable(
    "Accepting mail while the index runs behind",
    ["", "messages/s", "of the bare rate", "target"],
    [
      ["without index", whole(bareRate), "", ""],
      ["with index", whole(indexedRate), ratio(indexedRate, bareRate), "75 %"],
      ["behind at the end, of those accepted", whole(median(indexed.map(({ lag }) => lag))), "", ""],
      ["catching up afterwards", whole(median(indexed.map(({ catchUpRate }) => catchUpRate))), "", ""],
    ],
  );
}

interface Accepted {
  readonly rate: number;
  readonly lag: number;
  readonly catchUpRate: number;
}

async function accept(directory: string, isIndexed: boolean, pool: readonly NewMessage[]): Promise<Accepted> {
  const serverMessageCountMin = isIndexed ? defaultIndexSettings.serverMessageCountMin : Infinity;
  const index = { ...defaultIndexSettings, serverMessageCountMin };
  const store = await openSqliteStore({ directory, durable: true, index });
  const server = newServerId();
  await store.createServer({ id: server, name: "bench", password: "x", createdAt: Date.now(), expiresAt: null });
  const ids = createIdSource(Date.now);
  let sent = 0;
  const send = async (until: number): Promise<void> => {
    const one = async (): Promise<void> => {
      while (sent < until) {
        const message = pool[sent++ % pool.length];
        if (message !== undefined) await store.addMessages([{ ...message, id: ids.next(server, "Received").id }]);
      }
    };
    await Promise.all(Array.from({ length: senderCount }, one));
  };
  await send(messagesBefore);
  if (isIndexed) await caughtUp(store);
  const startedAt = performance.now();
  await send(messagesBefore + messagesMeasured);
  const acceptedAt = performance.now();
  const { indexBacklogCount: lag } = await store.statistics();
  if (isIndexed) await caughtUp(store);
  const indexedAt = performance.now();
  await store.close();
  return {
    rate: (messagesMeasured / (acceptedAt - startedAt)) * 1000,
    lag,
    catchUpRate: (lag / (indexedAt - acceptedAt)) * 1000,
  };
}
