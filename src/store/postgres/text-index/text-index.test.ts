import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { systemClock } from "../../../core/clock.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { folded, idsOf } from "../../conformance/setup.ts";
import type { NewMessage } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import { openDatabase } from "../connection/database.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { readStatistics } from "../maintenance/statistics.ts";
import { TestTextIndex } from "./text-index.test-aid.ts";

let index: TestTextIndex;
beforeEach(async () => {
  index = await TestTextIndex.open();
});
afterEach(async () => {
  await index[Symbol.asyncDispose]();
});

/** Returns messages of which every tenth contains "needle". */
const mails = (count: number, from = 0): readonly NewMessage[] =>
  Array.from({ length: count }, (_, n) => {
    const at = epochMs + from + n;
    return draft(index.server, {
      at,
      body: `Mail ${from + n}${n % 10 === 0 ? " has a needle" : ""}.`,
      to: [`u@x.test`],
    });
  });
const newestFirst = (messages: readonly NewMessage[], body: string) =>
  messages
    .filter(({ keys }) => keys.body.includes(body))
    .map(({ id }) => id)
    .toReversed();

describe("a search returns the same results", () => {
  test("before, during and after indexing", async () => {
    const all = mails(130);
    await index.add(all);
    const expected = newestFirst(all, "needle");
    const indexer = index.indexer();
    for (let isMore = true; isMore;) {
      expect(await index.find({ body: "needle" })).toEqual(expected);
      isMore = await indexer.step();
    }
    expect(await index.textCount()).toBe(130);
    expect(await index.find({ body: "needle" })).toEqual(expected);
    expect(await index.find({ body: "needless" })).toEqual([]);
  });

  test("when older and newer messages arrive after indexing", async () => {
    const first = mails(40, 1000);
    await index.add(first);
    await index.index();
    const later = [...mails(20, 0), ...mails(20, 2000)];
    await index.add(later);
    const expected = newestFirst([...later.slice(0, 20), ...first, ...later.slice(20)], "needle");
    expect(await index.find({ body: "needle" })).toEqual(expected);
    await index.index();
    expect(await index.indexedUpTo()).toBe(80);
    expect(await index.find({ body: "needle" })).toEqual(expected);
  });

  test("when the journal begins after the end of the index, which then rescans all messages", async () => {
    const all = mails(60);
    await index.add(all.slice(0, 30));
    await index.index();
    await index.add(all.slice(30));
    await index.database.query("/* all servers */ delete from change where sequence <= 45");
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(all, "needle"));
    await index.index();
    expect([await index.indexedUpTo(), await index.textCount()]).toEqual([60, 60]);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(all, "needle"));
  });

  test("when the index holds an outdated text for a message", async () => {
    const [mail, ...rest] = mails(3);
    await index.add([mail ?? fail(), ...rest]);
    await index.index();
    // As after writes of an earlier version, which does not update the index.
    await index.database.query("/* all servers */ update indexed_text set body = 'an outdated text'");
    await index.database.query("/* all servers */ update text_index set up_to = 0, walk_to = 3");
    await index.index();
    expect(await index.find({ body: "needle" }, {}, 1)).toEqual([mail?.id]);
    expect(await index.find({ body: "outdated" }, {}, 1)).toEqual([]);
  });

  test("on every page, with additional criteria, and for one direction", async () => {
    const all = mails(100);
    await index.add(all);
    await index.add([draft(index.server, { direction: "Sent", body: "a needle that was sent" })]);
    await index.index();
    const expected = newestFirst(all, "needle");
    for (const number of [0, 1, 2, 3, 4]) {
      const within = { page: number, itemsPerPage: 3 };
      expect(await index.find({ body: "needle" }, within)).toEqual(expected.slice(number * 3, number * 3 + 3));
      expect(await index.find({ body: "needle", sentTo: "u@x.test" }, within)).toEqual(
        expected.slice(number * 3, number * 3 + 3),
      );
    }
    expect(await index.find({ body: "needle", sentTo: "nobody@x.test" })).toEqual([]);
    expect(await index.find({ body: "needle" }, { receivedAfter: epochMs + 70 })).toEqual(expected.slice(0, 2));
    expect(await index.find({ body: "needle" }, { direction: "Sent" })).toHaveLength(1);
    const answer = await index.store.searchMessages(
      index.server,
      folded({ body: "needle" }),
      page({ itemsPerPage: 4 }),
    );
    expect([idsOf(answer), answer.hasMore, answer.total]).toEqual([expected.slice(0, 4), true, null]);
  });

  test.each(["ee", "%", "_", "\\", "é", "漢字検索", "..", "mail 9"])("for %j", async (body) => {
    const texts = [
      "needle",
      "100% of it",
      "a_b",
      "c:\\d",
      "élan",
      "全文の漢字検索です",
      "wait.. what",
      "Mail 9 and mail 90",
    ];
    const all = texts.map((text, n) => draft(index.server, { at: epochMs + n, body: text }));
    await index.add(all);
    await index.index();
    const expected = newestFirst(all, body);
    expect(expected.length).toBeGreaterThan(0);
    expect(await index.find({ body })).toEqual(expected);
    expect(await index.find({ body }, {}, 1)).toEqual(expected);
  });
});

describe("the store", () => {
  test("indexes large servers and counts the messages that are not indexed yet", async () => {
    const settings = { serverMessageCountMin: 20, newMessageCountMin: 10 };
    const backlog = async () => (await readStatistics(index.database, settings)).indexBacklogCount;
    await index.add(mails(19));
    expect(await backlog()).toBe(0);
    await index.add(mails(1, 19));
    expect(await backlog()).toBe(20);
    const database = openDatabase(index.url);
    const textIndex = { alphabet: "ascii", settings } as const;
    const own = { database, clock: systemClock, isDistributed: false, largeContent: null, textIndex };
    const store = createPostgresStore(own);
    try {
      await store.addMessages(mails(9, 20));
      expect([(await store.statistics()).indexBacklogCount, await index.textCount()]).toEqual([29, 0]);
      await store.addMessages(mails(1, 29));
      await expect.poll(() => index.textCount()).toBe(30);
      await expect.poll(backlog).toBe(0);
      await store.addMessages(mails(3, 30));
      expect(await backlog()).toBe(3);
    } finally {
      await store.close();
    }
  });
});

describe("the index removes texts", () => {
  test("of deleted and expired messages immediately", async () => {
    const all = mails(20);
    await index.add(all);
    await index.index();
    await index.store.deleteMessage(all[10]?.id ?? fail());
    expect(await index.textCount()).toBe(19);
    await index.store.expireMessages(index.server, { receivedBefore: null, keepNewest: 5 });
    expect(await index.textCount()).toBe(5);
    expect(await index.find({ body: "needle" })).toEqual([]);
  });

  test("of an emptied server and indexes its new messages", async () => {
    await index.add(mails(20));
    await index.index();
    await index.store.emptyServer(index.server);
    expect(await index.find({ body: "needle" })).toEqual([]);
    await expect.poll(() => index.textCount()).toBe(0);
    const fresh = mails(10, 500);
    await index.add(fresh);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(fresh, "needle"));
    await index.index();
    expect(await index.textCount()).toBe(10);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(fresh, "needle"));
  });

  test("and the state of a deleted server", async () => {
    await index.add(mails(20));
    await index.index();
    await index.store.deleteServer(index.server);
    await expect.poll(() => index.textCount()).toBe(0);
    expect(await index.indexedUpTo()).toBeUndefined();
    expect(await index.indexer().step()).toBe(false);
  });
});

describe("several nodes", () => {
  test("index a server one at a time, and another continues when the first loses its connection", async () => {
    const all = mails(120);
    await index.add(all);
    const reached = Promise.withResolvers<void>();
    const resume = Promise.withResolvers<void>();
    const first = index.indexer(
      pauseBeforeCommit(index.database, { reached: reached.resolve, resume: resume.promise }),
    );
    const outcome = first.step().then(
      () => "resolved",
      () => "rejected",
    );
    await reached.promise;
    const other = index.indexer();
    expect(await other.step()).toBe(false);
    expect(await index.indexedUpTo()).toBe(0);
    await index.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    );
    resume.resolve();
    // step() reports the failure as a background task instead of rejecting.
    expect(await outcome).toBe("resolved");
    expect([await index.textCount(), await index.find({ body: "needle" })]).toEqual([0, newestFirst(all, "needle")]);
    await index.index();
    expect([await index.textCount(), await index.indexedUpTo()]).toEqual([120, 120]);
  });

  test("index at the same time as messages arrive and are deleted, with complete results", async () => {
    const all = mails(200);
    const stop = new AbortController();
    const indexing = Array.from({ length: 3 }, async () => {
      while (!stop.signal.aborted) await index.indexer().step();
    });
    for (let start = 0; start < all.length; start += 20) {
      await index.add(all.slice(start, start + 20));
      await index.store.deleteMessage(all[start]?.id ?? fail());
    }
    stop.abort();
    await Promise.all(indexing);
    await index.index();
    const kept = all.filter((_, n) => n % 20 !== 0);
    expect(await index.textCount()).toBe(kept.length);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(kept, "needle"));
  });
});

test("finds bodies that are too long for the index by scanning them", async () => {
  const long = draft(index.server, { body: `${"some words ".repeat(150_000)} needle one` });
  const short = draft(index.server, { body: "needle two" });
  const empty = draft(index.server, { body: "" });
  await index.add([long, short, empty]);
  await index.add(Array.from({ length: 20 }, () => draft(index.server, { body: "plain" })));
  await index.index();
  expect(await index.textCount()).toBe(22);
  const [row] = await index.database.query<{ length: number }>(
    "/* all servers */ select max(octet_length(body))::int8 as length from indexed_text",
  );
  expect(row?.length).toBeLessThan(100);
  expect(await index.find({ body: "needle one" })).toEqual([long.id]);
  expect(await index.find({ body: "needle" })).toEqual(newestFirst([long, short], "needle"));
  expect(await index.find({ body: "some words absent" })).toEqual([]);
});

test("reports a failed step and continues indexing", async () => {
  await index.add([draft(index.server, { body: "needle" })]);
  const tasks = createBackgroundTasks(systemClock, () => undefined);
  let isDown = true;
  const failing: Database = {
    query: async (sql, parameters) => await index.database.query(sql, parameters),
    transact: async (body) => {
      if (isDown) throw new Error("canceling statement due to statement timeout");
      return await index.database.transact(body);
    },
    close: async () => {
      await index.database.close();
    },
  };
  const indexer = index.indexer(failing, tasks);
  expect(await indexer.step()).toBe(false);
  expect(tasks.states()).toMatchObject([
    { task: "text_index", state: "failing", lastFailure: { reason: expect.stringContaining("timeout") as string } },
  ]);
  isDown = false;
  indexer.notice(serverNumberOf(index.server), { before: 0, after: 1 });
  while (await indexer.step());
  expect(tasks.states()).toMatchObject([{ state: "ok", backlog: 0 }]);
  expect(await index.textCount()).toBe(1);
});

/** Wraps a database so that transactions wait for `resume` before their commit. */
function pauseBeforeCommit(
  database: Database,
  { reached, resume }: { readonly reached: () => void; readonly resume: Promise<void> },
): Database {
  return {
    query: async (sql, parameters) => await database.query(sql, parameters),
    transact: async (body) =>
      await database.transact(async (session) => {
        const result = await body(session);
        reached();
        await resume;
        return result;
      }),
    close: async () => {
      await database.close();
    },
  };
}

function fail(): never {
  throw new Error("no message was stored");
}
