/** Growth of query times with the size of the store: the same queries of one server in a small and a large store. */
import { criteriaExpression } from "../../src/core/search/build-expression.ts";
import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SearchBody } from "../../src/core/search/search-fields.ts";
import type { Page, Criteria } from "../../src/core/criteria.ts";
import { createIdSource } from "../../src/core/ids.ts";
import type { IdSource, ServerId } from "../../src/core/ids.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { NewMessage, Store } from "../../src/store/store.ts";
import { prose, seededRandom } from "../realistic-mail.ts";
import { median, printTable, ratio, whole } from "../report.ts";
import type { MeasuredPostgres } from "./server.ts";

const serverCount = 1000;
const messagesPerCall = 200;
const questionCount = 300;
const page: Page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };

type Ask = (store: Store, server: ServerId) => Promise<unknown>;
const search =
  (criteria: () => Partial<Criteria>): Ask =>
  async (store, server) =>
    await store.searchMessages(server, criteriaExpression({ match: "ALL", ...criteria() }), page);

/** Queries by number; none is repeated, so that no result is cached. */
const questions: readonly (readonly [name: string, ask: Ask])[] = [
  ["list of 50", async (store, server) => await store.listMessages(server, { ...page, receivedAfter: randomInt(1e9) })],
  ["recipient, found", search(() => ({ sentTo: `u${randomInt(5)}@x.test` }))],
  ["recipient, absent", search(() => ({ sentTo: `n${randomInt(1e9)}@x.test` }))],
  ["body, found", search(() => ({ body: `code ${randomInt(10)}` }))],
  ["body, absent", search(() => ({ body: `nowhere ${randomInt(1e9)}` }))],
];

/** Fills stores of the given sizes, with a thousand servers each, and measures queries. */
export async function benchGrowth(postgres: MeasuredPostgres, sizes: readonly number[]): Promise<void> {
  const columns: (readonly number[])[] = [];
  const directory = await mkdtemp(join(tmpdir(), "restante-bench-"));
  try {
    const smallest = Math.min(...sizes);
    columns.push(await measure(await openSqliteStore({ directory, durable: false }), smallest));
    for (const size of sizes) {
      columns.push(await measure(await openPostgresStore({ url: await postgres.createDatabase() }), size));
    }
    const head = ["p50, milliseconds", `embedded, ${whole(smallest)}`, ...sizes.map(whole), "last to first"];
    const rows = questions.map(([name], at) => {
      const figures = columns.map((column) => column[at] ?? Number.NaN);
      return [name, ...figures.map((figure) => figure.toFixed(2)), ratio(figures.at(-1) ?? 0, figures[1] ?? 0)];
    });
    printTable(`One of ${whole(serverCount)} servers (target: list and recipient within 1.5×)`, head, rows);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Returns the median time of each query in milliseconds. */
async function measure(store: Store, size: number): Promise<readonly number[]> {
  try {
    const servers = await fill(store, size);
    const medians: number[] = [];
    for (const [, ask] of questions) {
      const figures: number[] = [];
      for (let number = 0; number < questionCount; number += 1) {
        const startedAt = performance.now();
        await ask(store, servers[randomInt(servers.length)] ?? ("none0000" as ServerId));
        figures.push(performance.now() - startedAt);
      }
      medians.push(median(figures));
    }
    return medians;
  } finally {
    await store.close();
  }
}

async function fill(store: Store, size: number): Promise<readonly ServerId[]> {
  const ids = createIdSource(Date.now);
  const servers = Array.from({ length: serverCount }, (_, n) => `g${String(n).padStart(7, "0")}` as ServerId);
  for (const id of servers) await store.createServer({ id, name: id, password: "", createdAt: 0, expiresAt: null });
  const random = seededRandom(size);
  const perServer = Math.ceil(size / serverCount);
  // Round-robin over the servers, like real traffic: the messages of one server are not adjacent.
  for (let done = 0; done < perServer;) {
    const count = Math.min(perServer - done, Math.max(1, messagesPerCall / 10));
    for (let start = 0; start < servers.length; start += 8) {
      const some = servers.slice(start, start + 8).map((server) => {
        return Array.from({ length: count }, () => makeMessage(ids, server, random));
      });
      await Promise.all(some.map((messages) => store.addMessages(messages)));
    }
    done += count;
  }
  return servers;
}

/** Returns a short mail to one of five recipients. */
export function makeMessage(ids: IdSource, server: ServerId, random: () => number): NewMessage {
  const { id } = ids.next(server, "Received");
  const to = `u${Math.floor(random() * 5)}@x.test`;
  const body = `Your code ${Math.floor(random() * 10)}. ${prose(random, 60)}`;
  const summary = JSON.stringify({
    id,
    server,
    from: [{ email: "a@x.test" }],
    to: [{ email: to }],
    subject: "Your code",
  });
  return {
    id,
    summaryJson: Buffer.from(summary),
    detailJson: Buffer.from(summary),
    raw: Buffer.from(`To: ${to}\r\n\r\n${body}`),
    keys: {
      from: ["a@x.test"],
      to: [to],
      subject: "your code",
      body: new SearchBody([body.toLowerCase()]),
      fields: {},
    },
  };
}
