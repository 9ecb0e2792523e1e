/** Benchmark of body searches in one large server on PostgreSQL: without the index, while it is built, and with it. */
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "../../src/core/criteria.ts";
import { createIdSource } from "../../src/core/ids.ts";
import type { ServerId } from "../../src/core/ids.ts";
import { openPostgresStore, type SearchIndexChoice } from "../../src/store/postgres/open.ts";
import type { Store } from "../../src/store/store.ts";
import { prose, seededRandom } from "../realistic-mail.ts";
import { median, printTable, whole } from "../report.ts";
import { makeMessage } from "./growth.ts";
import type { MeasuredPostgres } from "./server.ts";

const server = "large000" as ServerId;
const questionCount = 40;
const messagesPerCall = 100;
/** Words of a body: about 4.5 kB. */
const wordCount = 700;
const page: Page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };

/** Search terms by query number; absent terms are all different, so that no result is cached. */
const terms: readonly (readonly [name: string, term: (n: number, count: number) => string])[] = [
  ["body, in every mail", (n) => `code ${n % 10}.`],
  ["body, in one mail", (n, count) => `ticket ${Math.floor((n * count) / questionCount)}x`],
  ["body, absent", (n) => `nowhere ${n}`],
];

/** Fills one server and measures queries, and the CPU time of indexing in the database. */
export async function benchTextIndex(postgres: MeasuredPostgres, messageCount: number): Promise<void> {
  const url = await postgres.createDatabase();
  const figures: (readonly number[])[] = [];
  let indexedMs = 0;
  for (const searchIndex of ["off", "auto"] satisfies readonly SearchIndexChoice[]) {
    const store = await openPostgresStore({ url, searchIndex });
    try {
      if (searchIndex === "off") await fill(store, messageCount);
      const before = postgres.processorTime();
      // Nodes poll for unindexed servers twice a minute.
      if (searchIndex === "auto") await indexed(store);
      indexedMs = postgres.processorTime().allMs - before.allMs;
      figures.push(await measure(store, messageCount));
    } finally {
      await store.close();
    }
  }
  const rows = terms.map(([name], at) => [name, ...figures.map((column) => (column[at] ?? Number.NaN).toFixed(2))]);
  printTable(`One server of ${whole(messageCount)} mails`, ["p50, milliseconds", "scanning", "indexed"], rows);
  process.stdout.write(`Indexing: ${whole((indexedMs * 1000) / messageCount)} µs of database CPU per mail\n`);
}

async function indexed(store: Store): Promise<void> {
  while ((await store.statistics()).indexBacklogCount > 0) await pause(200);
}

async function measure(store: Store, messageCount: number): Promise<readonly number[]> {
  const medians: number[] = [];
  for (const [, term] of terms) {
    const figures: number[] = [];
    for (let n = 0; n < questionCount; n += 1) {
      const startedAt = performance.now();
      await store.searchMessages(server, { match: "ALL", body: term(n, messageCount) }, page);
      figures.push(performance.now() - startedAt);
    }
    medians.push(median(figures));
  }
  return medians;
}

async function fill(store: Store, messageCount: number): Promise<void> {
  const ids = createIdSource(Date.now);
  const random = seededRandom(messageCount);
  await store.createServer({ id: server, name: "Large", password: "", createdAt: 0, expiresAt: null });
  for (let start = 0; start < messageCount; start += messagesPerCall) {
    const count = Math.min(messagesPerCall, messageCount - start);
    const messages = Array.from({ length: count }, (_, n) => {
      const { keys, ...message } = makeMessage(ids, server, random);
      const codes = Array.from({ length: 10 }, (_code, code) => `code ${code}.`).join(" ");
      const body = `${codes} ticket ${start + n}x ${prose(random, wordCount)}`.toLowerCase();
      return { ...message, keys: { ...keys, body } };
    });
    await store.addMessages(messages);
  }
}
