import { join } from "node:path";
import { createIdSource, newServerId } from "../../src/core/ids.ts";
import { defaultIndexSettings } from "../../src/store/sqlite/text-index/index-work.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { NewMessage } from "../../src/store/store.ts";
import { median, printTable, ratio, whole } from "../report.ts";
import { createCorpus } from "./corpus.ts";
import { caughtUp } from "./growth.ts";
import { toMessage } from "./mail.ts";

const rounds = 5;
/** Prepared messages: more than a segment contains, so that no segment contains one twice. */
const poolSize = 3000;
const messagesBefore = 3000;
const messagesMeasured = 6000;
const senderCount = 20;

/** Measures messages stored per second, durably, with and without background indexing, its backlog and its rate afterwards. */
export async function benchAccept(directory: string): Promise<void> {
  const corpus = createCorpus(2);
  const ids = createIdSource(Date.now);
  const server = newServerId();
  const pool = Array.from({ length: poolSize }, (_, index) => toMessage(corpus(index), server, ids));
  const pairs: { readonly bare: Accepted; readonly indexed: Accepted }[] = [];
  for (let round = 0; round < rounds; round++) {
    // Pairs run directly after each other, in alternating order, because the machine may be shared.
    const bareFirst = round % 2 === 0 ? await accept(join(directory, `bare-${round}`), false, pool) : undefined;
    const indexed = await accept(join(directory, `indexed-${round}`), true, pool);
    pairs.push({ indexed, bare: bareFirst ?? (await accept(join(directory, `bare-${round}`), false, pool)) });
  }
  const middle = (figure: (pair: { readonly bare: Accepted; readonly indexed: Accepted }) => number): number =>
    median(pairs.map(figure));
  const share = middle(({ bare, indexed }) => indexed.rate / bare.rate);
  printTable(
    "Accepting mail during background indexing",
    ["median of five rounds", "messages/s", "CPU µs a message", "of the bare rate", "target"],
    [
      ["without index", whole(middle(({ bare }) => bare.rate)), whole(middle(({ bare }) => bare.cpuUs)), "", ""],
      [
        "with index",
        whole(middle(({ indexed }) => indexed.rate)),
        whole(middle(({ indexed }) => indexed.cpuUs)),
        ratio(share, 1),
        "75 %",
      ],
      [`backlog after ${whole(messagesMeasured)} more`, whole(middle(({ indexed }) => indexed.lag)), "", "", ""],
      ["catching up afterwards", whole(middle(({ indexed }) => indexed.catchUpRate)), "", "", ""],
    ],
  );
}

interface Accepted {
  readonly rate: number;
  readonly cpuUs: number;
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
  const cpu = process.cpuUsage();
  await send(messagesBefore + messagesMeasured);
  const acceptedAt = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const { indexBacklogCount: lag } = await store.statistics();
  if (isIndexed) await caughtUp(store);
  const indexedAt = performance.now();
  await store.close();
  return {
    rate: (messagesMeasured / (acceptedAt - startedAt)) * 1000,
    cpuUs: (user + system) / messagesMeasured,
    lag,
    catchUpRate: (lag / (indexedAt - acceptedAt)) * 1000,
  };
}
