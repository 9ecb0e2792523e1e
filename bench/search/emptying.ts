import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { SearchBody } from "../../src/core/search/search-fields.ts";
import type { Page } from "../../src/core/criteria.ts";
import { createIdSource, newServerId } from "../../src/core/ids.ts";
import type { ServerId } from "../../src/core/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { NewMessage, Store } from "../../src/store/store.ts";
import { median, printTable, ratio, whole } from "../report.ts";

const messagesPerCall = 250;
const callsAtOnce = 4;
/** Lists timed before emptying; afterwards they are timed while space is reclaimed, for `watchedMsMax` at most. */
const listCount = 2000;
const watchedMsMax = 60_000;
const statisticsPauseMs = 250;

interface Lists {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures emptying a large server, and the lists of another server while space is reclaimed. */
export async function benchEmptying(directory: string, size: number): Promise<void> {
  const store = await openSqliteStore({ directory: join(directory, "emptying"), durable: true });
  const [large, other] = [await addServer(store), await addServer(store)];
  await fill(store, large, size);
  await fill(store, other, 1000);
  const before = await timeLists(store, other, () => Promise.resolve(false));
  const { sizeBytes } = await store.statistics();
  const startedAt = performance.now();
  await store.emptyServer(large);
  const emptiedMs = performance.now() - startedAt;
  const { count } = await store.listMessages(large, pageAt(0));
  if (count > 0) throw new Error("an emptied server lists messages");
  const during = await timeLists(store, other, backlogIsLeft(store));
  const { purgeBacklogCount, sizeBytes: sizeAfter } = await store.statistics();
  const watchedS = (performance.now() - startedAt) / 1000;
  await store.close();
  const row = (name: string, { p50, p99, max }: Lists): string[] => [
    name,
    ...[p50, p99, max].map((ms) => ms.toFixed(2)),
  ];
  printTable(
    `Emptying a server of ${whole(size)}: answered after ${emptiedMs.toFixed(1)} ms (target 50 ms)`,
    ["lists of another server, read from the database, ms", "p50", "p99", "longest"],
    [
      row("before", before),
      row("while space is reclaimed", during),
      ["", ratio(during.p50, before.p50), ratio(during.p99, before.p99), ""],
    ],
  );
  const reclaimed = size - purgeBacklogCount;
  process.stdout.write(
    `${whole(reclaimed)} messages reclaimed in ${watchedS.toFixed(1)} s, ` +
      `${(sizeBytes / 1024 ** 2).toFixed(0)} MB on disk before, ${(sizeAfter / 1024 ** 2).toFixed(0)} MB after\n`,
  );
}

async function addServer(store: Store): Promise<ServerId> {
  const id = newServerId();
  await store.createServer({ id, name: "bench", password: "x", createdAt: Date.now(), expiresAt: null });
  return id;
}

async function fill(store: Store, server: ServerId, count: number): Promise<void> {
  const ids = createIdSource(Date.now);
  const raw = Buffer.alloc(600, "From: a@app.example\r\nSubject: Your order is on its way\r\n\r\nIt left today. ");
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < count) {
      const start = next;
      next = Math.min(count, next + messagesPerCall);
      const messages = Array.from({ length: next - start }, (_, place): NewMessage => {
        const { id } = ids.next(server, "Received");
        const to = `user-${String(start + place)}@example.com`;
        return {
          id,
          summaryJson: Buffer.from(
            JSON.stringify({ id, subject: "Your order is on its way", to, summary: "It left today." }),
          ),
          detailJson: Buffer.from("{}"),
          raw,
          keys: {
            from: ["a@app.example"],
            to: [to],
            subject: "your order is on its way",
            body: new SearchBody(["it left today."]),
            fields: {},
          },
        };
      });
      await store.addMessages(messages);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, send));
}

/** Returns whether space is left to reclaim, checked periodically. */
function backlogIsLeft(store: Store): () => Promise<boolean> {
  const endsAt = performance.now() + watchedMsMax;
  let dueAt = 0;
  let isLeft = true;
  return async () => {
    const now = performance.now();
    if (now > dueAt && now < endsAt) {
      isLeft = (await store.statistics()).purgeBacklogCount > 0;
      dueAt = performance.now() + statisticsPauseMs;
    }
    return isLeft && now < endsAt;
  };
}

/** Times lists that need a read of the database. */
async function timeLists(store: Store, server: ServerId, shouldContinue: () => Promise<boolean>): Promise<Lists> {
  const times: number[] = [];
  while (times.length < listCount || (await shouldContinue())) {
    const page = pageAt(times.length);
    const startedAt = performance.now();
    await store.listMessages(server, page);
    times.push(performance.now() - startedAt);
    await turn();
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: median(times), p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Returns the second page with a different query each time. */
function pageAt(number: number): Page {
  return { page: 1, itemsPerPage: 50, receivedAfter: number % 100_000, direction: "Received", afterSequence: null };
}
