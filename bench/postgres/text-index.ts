/**
 * Benchmark of searches in one large server on PostgreSQL: without the text index, while it is built, and with it. Texts
 * are random, so that no two messages share more than words.
 */
import { criteriaExpression } from "../../src/core/search/build-expression.ts";
import { setTimeout as pause } from "node:timers/promises";
import { SearchBody } from "../../src/core/search/search-fields.ts";
import type { Page, Criteria } from "../../src/core/criteria.ts";
import { createIdSource } from "../../src/core/ids.ts";
import type { IdSource, ServerId } from "../../src/core/ids.ts";
import { openDatabase } from "../../src/store/postgres/connection/database.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import type { NewMessage, Store } from "../../src/store/store.ts";
import { prose, seededRandom } from "../realistic-mail.ts";
import { median, printTable, ratio, whole } from "../report.ts";
import type { MeasuredPostgres } from "./server.ts";

const server = "large000" as ServerId;
const queryCount = 100;
/** Queries that scan all texts of the server. */
const slowQueryCount = 5;
const messagesPerCall = 200;
const callCount = 3;
/** Words of a body: about 1.2 kB. */
const wordCount = 160;
const page: Page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };

type Query = (store: Store, n: number, count: number) => Promise<unknown>;
const search =
  (criteria: (n: number, count: number) => Partial<Criteria>): Query =>
  async (store, n, count) =>
    await store.searchMessages(server, criteriaExpression({ match: "ALL", ...criteria(n, count) }), page);

/** Queries by number; absent terms are all different, so that no result is cached. */
const queries: readonly (readonly [name: string, query: Query])[] = [
  ["list of 50", async (store, n) => await store.listMessages(server, { ...page, receivedAfter: n })],
  ["subject, absent", search((n) => ({ subject: `nowhere ${n}` }))],
  ["subject, in one mail", search((n, count) => ({ subject: `order ${orderOf(n, count)}x` }))],
  ["body, absent", search((n) => ({ body: `nowhere ${n}` }))],
  ["body, absent, of frequent syllables", search((n) => ({ body: `lanotebe${"aeiou".charAt(n % 5)}${n}` }))],
  ["body, in one mail", search((n, count) => ({ body: `ticket ${orderOf(n, count)}x` }))],
  ["body, in every mail", search((n) => ({ body: `code ${n % 10}.` }))],
];

const orderOf = (n: number, count: number): number => Math.floor((n * count) / queryCount);

/** Fills one server and measures queries, and the CPU time of indexing in the database and the node. */
export async function benchTextIndex(postgres: MeasuredPostgres, messageCount: number): Promise<void> {
  const url = await postgres.createDatabase();
  const plain = await openPostgresStore({ url, searchIndex: "off" });
  const columns: (readonly number[])[] = [];
  try {
    const startedAt = performance.now();
    await fill(plain, messageCount);
    process.stdout.write(`Stored in ${whole((performance.now() - startedAt) / 1000)} s\n`);
    await vacuum(url);
    columns.push(await measure(plain, messageCount, slowQueryCount));
  } finally {
    await plain.close();
  }
  const store = await openPostgresStore({ url, searchIndex: "auto" });
  try {
    const before = { database: postgres.processorTime().allMs, node: process.cpuUsage(), at: performance.now() };
    await waitForBacklog(store, messageCount / 2);
    columns.push(await measure(store, messageCount, slowQueryCount));
    await waitForBacklog(store, 0);
    const node = process.cpuUsage(before.node);
    const perMail = (ms: number): string => whole((ms * 1000) / messageCount);
    process.stdout.write(
      `Indexed in ${whole((performance.now() - before.at) / 1000)} s; µs of CPU per mail: ` +
        `${perMail(postgres.processorTime().allMs - before.database)} of the database, ` +
        `${perMail((node.user + node.system) / 1000)} of the node (with the searches meanwhile)\n`,
    );
    await vacuum(url);
    columns.push(await measure(store, messageCount, queryCount));
  } finally {
    await store.close();
  }
  print(messageCount, columns);
}

function print(messageCount: number, columns: readonly (readonly number[])[]): void {
  const rows = queries.map(([name], at) => {
    const figures = columns.map((column) => column[at] ?? Number.NaN);
    const list = columns.at(-1)?.[0] ?? Number.NaN;
    return [name, ...figures.map((figure) => figure.toFixed(2)), ratio(figures.at(-1) ?? Number.NaN, list)];
  });
  const head = ["p50, milliseconds", "scanning", "half indexed", "indexed", "indexed, to a list of 50"];
  printTable(`One server of ${whole(messageCount)} mails (targets: absent subject 5×, absent body 60×)`, head, rows);
}

/** Does what autovacuum would otherwise do while queries are measured. */
async function vacuum(url: string): Promise<void> {
  const database = openDatabase(url, { statementMsMax: 10 * 60_000 });
  await database.query("vacuum analyze");
  await database.close();
}

async function waitForBacklog(store: Store, countMax: number): Promise<void> {
  while ((await store.statistics()).indexBacklogCount > countMax) await pause(50);
}

/** Returns the median time of each query in milliseconds. Queries take turns, so that other load affects all of them. */
async function measure(store: Store, messageCount: number, count: number): Promise<readonly number[]> {
  const figures = queries.map((): number[] => []);
  for (let n = 0; n < count; n += 1) {
    for (const [at, [, query]] of queries.entries()) {
      const startedAt = performance.now();
      await query(store, n, messageCount);
      figures[at]?.push(performance.now() - startedAt);
    }
  }
  return figures.map(median);
}

async function fill(store: Store, messageCount: number): Promise<void> {
  const ids = createIdSource(Date.now);
  const random = seededRandom(messageCount);
  await store.createServer({ id: server, name: "Large", password: "", createdAt: 0, expiresAt: null });
  for (let start = 0; start < messageCount; start += messagesPerCall * callCount) {
    const calls = Array.from({ length: callCount }, (_, call) => {
      const first = start + call * messagesPerCall;
      const count = Math.max(0, Math.min(messagesPerCall, messageCount - first));
      return Array.from({ length: count }, (_message, n) => makeMessage(ids, random, first + n));
    });
    await Promise.all(calls.map((messages) => store.addMessages(messages)));
  }
}

/** Returns a mail of random words and tokens. */
function makeMessage(ids: IdSource, random: () => number, n: number): NewMessage {
  const { id } = ids.next(server, "Received");
  const to = `u${Math.floor(random() * 500)}@x.test`;
  const token = (): string => Math.floor(random() * 2 ** 48).toString(36);
  const subject = `order ${n}x ${prose(random, 4)} ${token()}`;
  const codes = Array.from({ length: 10 }, (_, code) => `code ${code}.`).join(" ");
  const body = `${codes} ticket ${n}x ${prose(random, wordCount)} https://x.test/r/${token()}${token()}${token()}`;
  const summary = JSON.stringify({
    id,
    server,
    type: "Email",
    from: [{ name: "Shop", email: "a@x.test", phone: null }],
    to: [{ name: "", email: to, phone: null }],
    cc: [],
    bcc: [],
    subject,
    summary: body.slice(0, 200),
    received: "2026-11-20T10:42:07.975Z",
    attachments: 0,
  });
  return {
    id,
    summaryJson: Buffer.from(summary),
    detailJson: Buffer.from(summary),
    raw: Buffer.from(`To: ${to}\r\n\r\n${body}`),
    keys: {
      from: ["a@x.test"],
      to: [to],
      subject: subject.toLowerCase(),
      body: new SearchBody([body.toLowerCase()]),
      fields: {},
    },
  };
}
