import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { systemClock } from "../../../core/clock.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { folded, idsOf } from "../../conformance/setup.ts";
import type { NewMessage } from "../../store.ts";
import { openDatabase, type Database, type Session } from "../connection/database.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { countUnindexed } from "./text-index.ts";
import { IndexerThread } from "./indexer-thread.ts";
import { Indexer } from "./indexer.ts";
import { eagerIndex, TestTextIndex } from "./text-index.test-aid.ts";

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
  messages.flatMap(({ id, keys }) => (keys.body.text?.includes(body) === true ? [id] : [])).toReversed();

describe("a search", () => {
  test("before, during and after indexing", async () => {
    const all = mails(130);
    await index.add(all);
    const expected = newestFirst(all, "needle");
    const indexer = index.indexer();
    for (let isMore = true; isMore;) {
      expect(await index.find({ body: "needle" })).toEqual(expected);
      isMore = await indexer.step();
    }
    expect(await index.memberCount()).toBe(130);
    expect(await index.find({ body: "needle" })).toEqual(expected);
    expect(await index.find({ body: "needless" })).toEqual([]);
  });

  test("returns the same results when older and newer messages arrive after indexing", async () => {
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

  test("returns the same results when the journal begins after the end of the index, which then rescans all messages", async () => {
    const all = mails(60);
    await index.add(all.slice(0, 30));
    await index.index();
    await index.add(all.slice(30));
    await index.database.query("/* all servers */ delete from change where sequence <= 45");
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(all, "needle"));
    await index.index();
    expect([await index.indexedUpTo(), await index.memberCount()]).toEqual([60, 60]);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(all, "needle"));
  });

  test("returns the same results when a message is replaced by another text", async () => {
    const [mail, ...rest] = mails(3);
    if (mail === undefined) throw new Error("no mail was made");
    await index.add([mail, ...rest]);
    await index.index();
    const { keys } = draft(index.server, { body: "another text", to: ["u@x.test"] });
    await index.store.reparses.replaceMessage({ ...mail, keys });
    for (const indexed of [false, true]) {
      if (indexed) await index.index();
      expect(await index.find({ body: "needle" }, {}, 1)).toEqual([]);
      expect(await index.find({ body: "another" }, {}, 1)).toEqual([mail.id]);
    }
  });

  test("returns the same results on every page, with additional criteria, and for one direction", async () => {
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

  test("returns the same results for subjects, alone and together with bodies", async () => {
    const all = Array.from({ length: 100 }, (_, n) =>
      draft(index.server, {
        at: epochMs + n,
        subject: `Order ${n}${n % 7 === 0 ? " express" : ""}`,
        body: `Mail ${n}${n % 5 === 0 ? " has a needle" : ""}.`,
      }),
    );
    await index.add(all);
    await index.index();
    const newest = (isMatch: (n: number) => boolean) =>
      all
        .filter((_, n) => isMatch(n))
        .map(({ id }) => id)
        .toReversed();
    expect(await index.find({ subject: "express" })).toEqual(newest((n) => n % 7 === 0));
    expect(await index.find({ subject: "expressly" })).toEqual([]);
    expect(await index.find({ subject: "order 73" })).toEqual(newest((n) => n === 73));
    expect(await index.find({ subject: "express", body: "needle" })).toEqual(newest((n) => n % 35 === 0));
    expect(await index.find({ subject: "express", body: "needle", match: "ANY" })).toEqual(
      newest((n) => n % 7 === 0 || n % 5 === 0),
    );
    expect(await index.find({ subject: "", body: "needle" })).toEqual(newest((n) => n % 5 === 0));
    expect(await index.find({ subject: "nowhere", body: "needle" })).toEqual([]);
  });

  test.each(["ee", "%", "_", "\\", "é", "漢字検索", "..", "mail 9"])("finds all of %j", async (body) => {
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
    const settings = { ...eagerIndex, serverMessageCountMin: 20, newMessageCountMin: 10 };
    const backlog = async () => await countUnindexed(index.database, settings);
    await index.add(mails(19));
    expect(await backlog()).toBe(0);
    await index.add(mails(1, 19));
    expect(await backlog()).toBe(20);
    const database = openDatabase(index.url);
    const textIndex = { settings };
    const own = { database, clock: systemClock, isDistributed: false, largeContent: null, textIndex };
    const store = createPostgresStore(own);
    try {
      await store.addMessages(mails(9, 20));
      expect([(await store.statistics()).indexBacklogCount, await index.memberCount()]).toEqual([29, 0]);
      await store.addMessages(mails(1, 29));
      await expect.poll(() => index.memberCount()).toBe(30);
      await expect.poll(backlog).toBe(0);
      await store.addMessages(mails(3, 30));
      expect(await backlog()).toBe(3);
    } finally {
      await store.close();
    }
  });
});

describe("the index removes", () => {
  test("segments all of whose messages were deleted", async () => {
    const all = mails(40);
    await index.add(all);
    await index.index();
    expect(await index.memberCount()).toBe(40);
    await index.store.expireMessages(index.server, { receivedBefore: null, keepNewest: 5 });
    expect(await index.find({ body: "mail" })).toHaveLength(5);
    await index.index();
    expect(await index.memberCount()).toBeLessThan(20);
    expect(await index.find({ body: "needle" })).toEqual([]);
    expect(await index.find({ body: "mail" })).toHaveLength(5);
  });

  test("an emptied server, and indexes its new messages", async () => {
    await index.add(mails(20));
    await index.index();
    await index.store.emptyServer(index.server);
    expect(await index.find({ body: "needle" })).toEqual([]);
    await expect.poll(() => index.memberCount()).toBe(0);
    const fresh = mails(10, 500);
    await index.add(fresh);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(fresh, "needle"));
    await index.index();
    expect(await index.memberCount()).toBe(10);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(fresh, "needle"));
  });

  test("a server that is emptied while a segment of it is built", async () => {
    await index.add(mails(20));
    const reached = Promise.withResolvers<void>();
    const resume = Promise.withResolvers<void>();
    const paused = index.indexer(pauseBeforeLock(index.database, { reached: reached.resolve, resume: resume.promise }));
    const step = paused.step();
    await reached.promise;
    await index.store.emptyServer(index.server);
    await index.purge();
    resume.resolve();
    await step;
    expect([await index.memberCount(), await index.pageCount()]).toEqual([0, 0]);
    const fresh = mails(10, 500);
    await index.add(fresh);
    await index.index();
    expect([await index.memberCount(), await index.indexedUpTo()]).toEqual([10, 31]);
  });

  test("a server that is deleted while a segment of it is built, without waiting for it", async () => {
    await index.add(mails(20));
    const reached = Promise.withResolvers<void>();
    const resume = Promise.withResolvers<void>();
    const paused = index.indexer(pauseBeforeLock(index.database, { reached: reached.resolve, resume: resume.promise }));
    const step = paused.step();
    await reached.promise;
    await index.store.deleteServer(index.server);
    await index.purge();
    resume.resolve();
    expect(await step).toBe(true);
    expect(await paused.step()).toBe(false);
    expect([await index.indexedUpTo(), await index.memberCount(), await index.pageCount()]).toEqual([undefined, 0, 0]);
  });

  test("the state of a deleted server", async () => {
    await index.add(mails(20));
    await index.index();
    await index.store.deleteServer(index.server);
    await expect.poll(() => index.indexedUpTo()).toBeUndefined();
    expect([await index.memberCount(), await index.pageCount()]).toEqual([0, 0]);
    expect(await index.indexer().step()).toBe(false);
  });
});

describe("segments", () => {
  test("merges segments of few messages", async () => {
    const all = mails(40);
    for (let start = 0; start < all.length; start += 2) {
      await index.add(all.slice(start, start + 2));
      await index.index();
    }
    expect([await index.memberCount(), await index.segmentCount()]).toEqual([40, expect.toSatisfy(isFew)]);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(all, "needle"));
  });

  test("contain every message once after the journal was trimmed", async () => {
    await index.add(mails(30));
    await index.index();
    await index.add(mails(10, 100));
    await index.database.query("/* all servers */ delete from change where sequence <= 35");
    await index.index();
    expect([await index.memberCount(), await index.indexedUpTo()]).toEqual([40, 40]);
  });
});

/** At most half as many segments as were built. */
const isFew = (count: number): boolean => count <= 10;

describe("while messages are indexed for the first time", () => {
  const half = async (): Promise<readonly NewMessage[]> => {
    const all = mails(160);
    await index.add(all);
    const indexer = index.indexer();
    while ((await index.memberCount()) < 80) await indexer.step();
    return all;
  };

  test("a search reads the texts of messages in no segment only", async () => {
    const all = await half();
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(all, "needle"));
    index.database.statements.length = 0;
    expect(await index.find({ body: "nowhere" }, {}, 10)).toEqual([]);
    // Ten by the first slice; the other 70 in slices of ten, and one statement that finds no more.
    const scans = index.database.statements.filter(({ sql }) => sql.includes("m.sequence > $"));
    expect(scans.length).toBeLessThanOrEqual(8);
  });

  test("the backlog counts the messages that are missing", async () => {
    await half();
    const settings = { ...eagerIndex, newMessageCountMin: 10 };
    const backlog = async () => await countUnindexed(index.database, settings);
    expect(await backlog()).toBe(80);
    await index.add(mails(5, 1000));
    expect(await backlog()).toBe(85);
  });

  test("messages that arrive with earlier times are found", async () => {
    const all = await half();
    const early = draft(index.server, { at: epochMs - 1000, body: "an early needle" });
    await index.add([early]);
    expect(await index.find({ body: "needle" })).toEqual([...newestFirst(all, "needle"), early.id]);
    await index.index();
    expect(await index.find({ body: "needle" })).toEqual([...newestFirst(all, "needle"), early.id]);
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
    expect([await index.memberCount(), await index.find({ body: "needle" })]).toEqual([0, newestFirst(all, "needle")]);
    await index.index();
    expect([await index.memberCount(), await index.indexedUpTo()]).toEqual([120, 120]);
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
    // Segments may contain messages that were deleted later.
    expect(await index.memberCount()).toBeGreaterThanOrEqual(kept.length);
    expect(await index.find({ body: "needle" })).toEqual(newestFirst(kept, "needle"));
  });
});

test("finds texts that are too long for the index by comparing them", async () => {
  const long = draft(index.server, { body: `${"some words ".repeat(150_000)} needle one` });
  const short = draft(index.server, { body: "needle two" });
  const empty = draft(index.server, { body: "" });
  await index.add([long, short, empty]);
  await index.add(Array.from({ length: 20 }, () => draft(index.server, { body: "plain" })));
  await index.index();
  expect(await index.memberCount()).toBe(23);
  expect(await index.find({ body: "needle one" })).toEqual([long.id]);
  expect(await index.find({ body: "needle" })).toEqual(newestFirst([long, short], "needle"));
  expect(await index.find({ body: "some words absent" })).toEqual([]);
});

test("keeps segments apart whose signatures do not fit into one", async () => {
  let state = 1;
  const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const token = (): string =>
    Array.from({ length: 12_000 }, () => Math.floor(random() * 36 ** 5).toString(36)).join("");
  const all = Array.from({ length: 200 }, (_, n) =>
    draft(index.server, { at: epochMs + n, body: `${token()} mail ${n}.` }),
  );
  const settings = { ...eagerIndex, segmentMessageCountMax: 400 };
  const indexer = new Indexer(index.database, settings);
  for (let start = 0; start < all.length; start += 50) {
    await index.add(all.slice(start, start + 50));
    while (await indexer.advance(serverNumberOf(index.server)));
  }
  expect(await index.memberCount()).toBe(200);
  expect(await index.segmentCount()).toBeGreaterThan(1);
  expect(await index.find({ body: "mail 7." })).toEqual([all[7]?.id]);
});

test("a thread of its own indexes, and exits when there is nothing to do", async () => {
  const all = mails(60);
  await index.add(all);
  const thread = new IndexerThread({ url: index.url, connections: {}, settings: eagerIndex });
  while (await thread.advance(serverNumberOf(index.server)));
  await thread.rest();
  expect([await index.memberCount(), await index.find({ body: "needle" })]).toEqual([60, newestFirst(all, "needle")]);
  await index.database.query("alter table text_page rename to moved_page");
  await index.add(mails(10, 100));
  await expect(thread.advance(serverNumberOf(index.server))).rejects.toThrow("text_page");
  await thread.rest();
  await index.database.query("alter table moved_page rename to text_page");
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
    read: async (settings, body) => await index.database.read(settings, body),
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
  expect(await index.memberCount()).toBe(1);
});

/** Wraps a database so that transactions wait for `resume` before they lock the row of the server. */
function pauseBeforeLock(
  database: Database,
  { reached, resume }: { readonly reached: () => void; readonly resume: Promise<void> },
): Database {
  const paused = (session: Session): Session => ({
    query: async (sql, parameters) => {
      if (sql.includes("select epoch from server")) {
        reached();
        await resume;
      }
      return await session.query(sql, parameters);
    },
  });
  return {
    query: async (sql, parameters) => await database.query(sql, parameters),
    transact: async (body) => await database.transact(async (session) => await body(paused(session))),
    read: async (settings, body) => await database.read(settings, body),
    close: async () => {
      await database.close();
    },
  };
}

/** Wraps a database so that transactions wait for `resume` before the commit of a step. */
function pauseBeforeCommit(
  database: Database,
  { reached, resume }: { readonly reached: () => void; readonly resume: Promise<void> },
): Database {
  return {
    query: async (sql, parameters) => await database.query(sql, parameters),
    transact: async (body) =>
      await database.transact(async (session) => {
        let isStep = false;
        const result = await body({
          query: async (sql, parameters) => {
            isStep ||= sql.includes("skip locked");
            return await session.query(sql, parameters);
          },
        });
        if (isStep) {
          reached();
          await resume;
        }
        return result;
      }),
    read: async (settings, body) => await database.read(settings, body),
    close: async () => {
      await database.close();
    },
  };
}

function fail(): never {
  throw new Error("no message was stored");
}
