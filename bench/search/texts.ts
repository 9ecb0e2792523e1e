import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { foldText } from "../../src/core/fold.ts";
import { createIdSource } from "../../src/core/ids.ts";
import type { ServerId } from "../../src/core/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { benchKey, benchServer, startService } from "../child.ts";
import { prose, seededRandom } from "../realistic-mail.ts";
import { median, printTable, ratio, whole } from "../report.ts";
import { createCorpus, createRandom } from "./corpus.ts";
import type { CorpusMail } from "./corpus.ts";
import { caughtUp, fill } from "./growth.ts";
import { toMessage } from "./mail.ts";

/** Executions of each query. */
const executionCount = 25;
const tokenAlphabet = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

/** Bodies that share templates, that share only a vocabulary, and that share nothing. */
const kinds: readonly (readonly [string, (mail: CorpusMail, index: number) => CorpusMail])[] = [
  ["templates", (mail) => mail],
  ["prose", (mail, index) => ({ ...mail, text: `${prose(seededRandom(index), 1700)} ${mail.order}`, html: "" })],
  ["random tokens", (mail, index) => ({ ...mail, text: `${tokens(index)} ${mail.order}`, html: "" })],
];

function tokens(index: number): string {
  const random = createRandom(index);
  return Array.from({ length: 10_000 }, () => tokenAlphabet[random(tokenAlphabet.length)]).join("");
}

/** Measures searches over HTTP beside a list of 50, on more and less repetitive texts. */
export async function benchTexts(directory: string, sizes: readonly number[]): Promise<void> {
  for (const [name, change] of kinds) {
    const path = join(directory, name.replaceAll(" ", "-"));
    mkdirSync(path);
    const rows: string[][] = [];
    let from = 0;
    for (const size of sizes) {
      const { indexedPerSecond } = await grow(path, { from, to: size, change });
      from = size;
      rows.push([whole(size), ...(await measureSearches(path, size)), whole(indexedPerSecond)]);
    }
    printTable(
      `Searches over HTTP, bodies of ${name}: median ms, and to the list`,
      ["messages", "list of 50", "body, found", "body, absent", "subject, absent", "indexed/s"],
      rows,
    );
  }
}

interface Growth {
  readonly from: number;
  readonly to: number;
  readonly change: (mail: CorpusMail, index: number) => CorpusMail;
}

async function grow(path: string, { from, to, change }: Growth): Promise<{ readonly indexedPerSecond: number }> {
  const store = await openSqliteStore({ directory: path, durable: false });
  const server = benchServer as ServerId;
  if (from === 0) {
    await store.createServer({ id: server, name: "Bench", password: "x", createdAt: 0, expiresAt: null });
  }
  const corpus = createCorpus(1);
  const ids = createIdSource(Date.now);
  await fill(store, { server, from, to, make: (index) => toMessage(change(corpus(index), index), server, ids) });
  const { indexBacklogCount } = await store.statistics();
  const startedAt = performance.now();
  await caughtUp(store);
  const indexedPerSecond = (indexBacklogCount / (performance.now() - startedAt)) * 1000;
  await store.close();
  return { indexedPerSecond };
}

async function measureSearches(path: string, size: number): Promise<readonly string[]> {
  const service = await startService("source", { RESTANTE_DATA_DIR: path });
  const url = `http://127.0.0.1:${String(service.httpPort)}/api/messages`;
  const headers = { authorization: `Bearer ${benchKey}`, "content-type": "application/json" };
  const corpus = createCorpus(1);
  const time = async (criteria: ((number: number) => object) | null): Promise<number> => {
    const times: number[] = [];
    for (let number = 1; number <= executionCount; number += 1) {
      const query = `server=${benchServer}&receivedAfter=${String(number)}`;
      const body = criteria === null ? null : JSON.stringify(criteria(number));
      const startedAt = performance.now();
      const response =
        body === null
          ? await fetch(`${url}?${query}`, { headers })
          : await fetch(`${url}/search?${query}`, { method: "POST", headers, body });
      const text = await response.text();
      times.push(performance.now() - startedAt);
      if (response.status !== 200) throw new Error(`${String(response.status)}: ${text}`);
    }
    return median(times);
  };
  try {
    await time(null);
    const list = await time(null);
    const searches = [
      await time((number) => ({ body: foldText(corpus(Math.floor((size * number) / (executionCount + 1))).order) })),
      await time((number) => ({ body: `zq xj ${String(number)}` })),
      await time((number) => ({ subject: `zq xj ${String(number)}` })),
    ];
    return [list.toFixed(2), ...searches.map((one) => `${one.toFixed(2)} (${ratio(one, list)})`)];
  } finally {
    await service.stop();
  }
}
