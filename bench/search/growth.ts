import { criteriaExpression } from "../../src/core/search/build-expression.ts";
import { DatabaseSync } from "node:sqlite";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "../../src/core/criteria.ts";
import { createIdSource, newServerId } from "../../src/core/ids.ts";
import type { ServerId } from "../../src/core/ids.ts";
import { defaultIndexSettings } from "../../src/store/sqlite/text-index/index-work.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { median, printTable, ratio, whole } from "../report.ts";
import { createCorpus } from "./corpus.ts";
import { toMessage } from "./mail.ts";
import { frequentTerms, queries } from "./queries.ts";
import type { BenchQuery, Subject } from "./queries.ts";

const { serverMessageCountMin, newMessageCountMin } = defaultIndexSettings;
/** Terms of frequent letters that are searched for. */
const termsSearched = 15;
const termCount = 300;
const messagesPerCall = 32;
const callsAtOnce = 3;
const corpusSeed = 1;

/** Grows one server from size to size; at each, once the index has caught up, times every query. */
export async function benchGrowth(directory: string, sizes: readonly number[]): Promise<void> {
  const path = join(directory, "growth");
  const store = await openSqliteStore({ directory: path, durable: true });
  const server = newServerId();
  await store.createServer({ id: server, name: "bench", password: "x", createdAt: Date.now(), expiresAt: null });
  const corpus = createCorpus(corpusSeed);
  const frequent = frequentTerms(corpus, termCount);
  let timed: readonly BenchQuery[] = [];
  const ids = createIdSource(Date.now);
  const columns: { readonly size: number; readonly floorMs: number; readonly times: readonly Times[] }[] = [];
  let size = 0;
  for (const target of sizes) {
    const startedAt = performance.now();
    await fill(store, { server, from: size, to: target, make: (index) => toMessage(corpus(index), server, ids) });
    size = target;
    const filledAt = performance.now();
    const behind = (await store.statistics()).indexBacklogCount;
    const cpu = process.cpuUsage();
    await caughtUp(store);
    const indexedAt = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    const { sizeBytes } = await store.statistics();
    process.stdout.write(
      `${whole(size)}: filled in ${seconds(filledAt - startedAt)}, the last ${whole(behind)} indexed in ${seconds(indexedAt - filledAt)} more ` +
        `(${behind === 0 ? "-" : ((user + system) / behind).toFixed(0)} µs of CPU each), ` +
        `${(sizeBytes / 1024 ** 2).toFixed(0)} MB, resident ${(process.memoryUsage.rss() / 1024 ** 2).toFixed(0)} MB\n`,
    );
    const addMail = async (): Promise<void> => {
      await store.addMessages([
        toMessage(corpus(0x7fff_0000 + (ids.next(server, "Sent").receivedAt % 9999)), server, ids),
      ]);
    };
    const subject: Subject = { store, server, size, corpus, addMail };
    const floorMs = measureFloor(join(path, "restante.db"), server);
    timed = queries(await absentOnes(frequent, subject));
    const times: Times[] = [];
    for (const query of timed) times.push(await measure(query, subject));
    columns.push({ size, floorMs, times });
  }
  await store.close();
  printTimes(timed, columns);
}

/** Returns terms that no email contains. The searches differ from the timed ones. */
async function absentOnes(terms: readonly string[], { store, server }: Subject): Promise<readonly string[]> {
  const page: Page = { page: 0, itemsPerPage: 1, receivedAfter: 2, direction: "Received", afterSequence: null };
  const absent: string[] = [];
  for (const body of terms) {
    if (absent.length === termsSearched) return absent;
    const { count } = await store.searchMessages(server, criteriaExpression({ body, match: "ALL" }), page);
    if (count === 0) absent.push(body);
  }
  throw new Error("too few terms of frequent letters are absent");
}

interface Times {
  /** Median of the first executions, which may read from disk. */
  readonly coldMs: number;
  /** Median of the second executions. */
  readonly warmMs: number;
  readonly blockedMs: number;
}

async function measure(query: BenchQuery, subject: Subject): Promise<Times> {
  const cold: number[] = [];
  const warm: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  // Waiting for the disk also slows down what follows: all first executions come before all second ones.
  for (const [times, variant] of [
    [cold, 0],
    [warm, 1],
  ] as const) {
    for (let number = 0; number < query.executionCount; number++) {
      const execute = await query.prepare(subject, number);
      delay.enable();
      const startedAt = performance.now();
      const { count } = await execute(variant);
      times.push(performance.now() - startedAt);
      delay.disable();
      const [least, most] = query.found;
      if (count < least || count > most) throw new Error(`${query.name} found ${count} messages`);
    }
  }
  return { coldMs: median(cold), warmMs: median(warm), blockedMs: delay.max / 1e6 };
}

function printTimes(
  timed: readonly BenchQuery[],
  columns: readonly { readonly size: number; readonly floorMs: number; readonly times: readonly Times[] }[],
): void {
  const head = [
    "median ms (first execution)",
    ...columns.map(({ size }) => whole(size)),
    "largest : smallest",
    "largest : floor",
    "target",
  ];
  const rows = timed.map((query, at) => {
    const times = columns.map((column) => column.times[at]);
    const [first, last] = [times[0], times.at(-1)];
    return [
      query.name,
      ...times.map((one) => (one === undefined ? "" : `${one.warmMs.toFixed(2)} (${one.coldMs.toFixed(2)})`)),
      first === undefined || last === undefined ? "" : ratio(last.warmMs, first.warmMs),
      last === undefined ? "" : ratio(last.warmMs, columns.at(-1)?.floorMs ?? Number.NaN),
      query.targetMs === null ? "flat" : `${query.targetMs} ms`,
    ];
  });
  const floors = columns.map(({ floorMs }) => floorMs.toFixed(4));
  printTable("Search in one server", head, [["floor: one indexed row", ...floors, "", "", ""], ...rows]);
  const blocked = Math.max(...(columns.at(-1)?.times ?? []).map(({ blockedMs }) => blockedMs));
  process.stdout.write(`At the largest size the calling thread was blocked for at most ${blocked.toFixed(0)} ms\n`);
}

/** Stores a range of emails, with a few concurrent calls. */
export async function fill(
  store: Store,
  range: { server: ServerId; from: number; to: number; make: (index: number) => ReturnType<typeof toMessage> },
): Promise<void> {
  let next = range.from;
  const send = async (): Promise<void> => {
    while (next < range.to) {
      const start = next;
      next = Math.min(range.to, next + messagesPerCall);
      const messages = Array.from({ length: next - start }, (_, place) => range.make(start + place));
      const stored = await store.addMessages(messages);
      if (stored.some(({ outcome }) => outcome !== "stored")) throw new Error("a message was not stored");
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, send));
}

/** Resolves when the backlog of the index no longer shrinks. */
export async function caughtUp(store: Store): Promise<void> {
  let before = Infinity;
  for (;;) {
    const { indexBacklogCount, messageCount } = await store.statistics();
    const isSettled = indexBacklogCount < newMessageCountMin && indexBacklogCount === before;
    if (messageCount < serverMessageCountMin || isSettled) return;
    before = indexBacklogCount;
    await sleep(500);
  }
}

function measureFloor(file: string, server: ServerId): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const statement = database.prepare("select epoch from server where id = ?");
  const times = Array.from({ length: 1001 }, () => {
    const startedAt = performance.now();
    statement.get(server);
    return performance.now() - startedAt;
  });
  database.close();
  return median(times);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
