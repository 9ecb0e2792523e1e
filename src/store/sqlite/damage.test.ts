import { criteriaExpression } from "../../core/search/build-expression.ts";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { createBackgroundTasks, type BackgroundTaskRegistry } from "../../core/background-tasks.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { aDirectory } from "../conformance/directory.ts";
import { aServer, draft, page } from "../conformance/drafts.ts";
import { expectProblem, idsOf, textOf } from "../conformance/setup.ts";
import type { NewMessage, Store } from "../store.ts";
import { databaseFileName } from "./connection/store-directory.ts";
import { directoryWithDatabase } from "./new-database.test-aid.ts";
import { openSqliteStore } from "./open.ts";
import { sameThread } from "./threads/same-thread.test-aid.ts";

/** Changes the database of a closed store as a disk fault would. */
function edit(directory: string, sql: string): void {
  using database = new DatabaseSync(path.join(directory, databaseFileName));
  database.exec(sql);
}

/** Returns SQL that flips the lowest bit of the byte in the middle of a column. */
function flip(table: string, column: string, where: string): string {
  const middle = `(length(${column}) / 2)`;
  return `update ${table} set ${column} = cast(unhex(
      substr(hex(${column}), 1, 2 * ${middle}) ||
      printf('%02X', (instr('0123456789ABCDEF', substr(hex(${column}), 2 * ${middle} + 2, 1)) - 1) +
        16 * (instr('0123456789ABCDEF', substr(hex(${column}), 2 * ${middle} + 1, 1)) - 1) + iif(
        (instr('0123456789ABCDEF', substr(hex(${column}), 2 * ${middle} + 2, 1)) - 1) % 2 = 0, 1, -1)) ||
      substr(hex(${column}), 2 * ${middle} + 3)) as blob) where ${where}`;
}

describe("a message whose bytes have changed on the disk", () => {
  let directory: string;
  let server: ServerId;
  let messages: readonly NewMessage[];
  let tasks: BackgroundTaskRegistry;

  beforeEach(async () => {
    directory = directoryWithDatabase("restante-damage-");
    const store = await openSqliteStore({ directory, durable: false, threads: sameThread });
    server = (await store.createServer(aServer())).id;
    messages = ["one", "two", "three"].map((subject) =>
      draft(server, { subject, raw: `raw ${subject} `.repeat(200), body: `body ${subject}`, from: ["a@b.test"] }),
    );
    await store.addMessages(messages);
    await store.close();
    tasks = createBackgroundTasks(new FakeClock(), () => undefined);
  });

  async function reopened(sql: string, look: (store: Store) => Promise<void>): Promise<void> {
    edit(directory, sql);
    const store = await openSqliteStore({ directory, durable: false, tasks });
    try {
      await look(store);
    } finally {
      await store.close();
    }
  }

  function ids(): readonly [MessageId, MessageId, MessageId] {
    return messages.map(({ id }) => id) as [MessageId, MessageId, MessageId];
  }

  function damageState(): string | undefined {
    return tasks.states().find(({ task }) => task === "stored_data")?.state;
  }

  test.each([
    ["is missing", "delete from content where number = 2"],
    [
      "does not decompress",
      "update content set detail = zeroblob(40), detail_size = 1, body = null, raw = null where number = 2",
    ],
  ])("is reported when a search meets a body that %s, and the others are found", async (_, sql) => {
    await reopened(sql, async (store) => {
      const result = await store.searchMessages(server, criteriaExpression({ body: "body", match: "ALL" }), page());
      expect(idsOf(result)).toEqual([messages[2]?.id, messages[0]?.id]);
      expect(damageState()).toBe("failing");
    });
  });

  test("is marked in lists and searches when its summary is damaged, without affecting others", async () => {
    await reopened(flip("message", "summary", "sequence = 2"), async (store) => {
      const pages = [
        await store.listMessages(server, page()),
        await store.listMessages(server, page({ itemsPerPage: 999 })),
        await store.searchMessages(server, criteriaExpression({ sentFrom: "a@b.test", match: "ALL" }), page()),
        await store.searchMessages(server, criteriaExpression({ body: "body", match: "ALL" }), page()),
      ];
      for (const { json } of pages) {
        const summaries = JSON.parse(`[${textOf(json)}]`) as { id: string; subject: string }[];
        expect(summaries.map(({ id }) => id).toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
        const marked = summaries.filter(({ subject }) => subject === "[This stored message is damaged]");
        expect(marked.map(({ id }) => id)).toEqual([messages[1]?.id]);
      }
      expect(textOf(await store.getRaw(ids()[1]))).toBe("raw two ".repeat(200));
      expect(damageState()).toBe("failing");
    });
  });

  test.each([
    ["frame", flip("content", "detail", "number = 2")],
    ["sizes", "update content set raw_size = raw_size - 1, body_size = body_size + 1 where number = 2"],
    ["addresses", "update content set addresses = '[[],[]]' where number = 2"],
    ["pointer to another message", "update message set content = 3 where sequence = 2"],
    ["pointer to nothing", "update message set content = 99 where sequence = 2"],
  ])("is rejected as damaged when its %s changed, and nothing else is", async (_, sql) => {
    await reopened(sql, async (store) => {
      const [one, two, three] = ids();
      for (const read of [() => store.getDetail(two), () => store.getRaw(two)]) {
        await expectProblem(read(), "data_damaged");
      }
      for (const id of [one, three]) expect(await store.getRaw(id)).toBeDefined();
      expect(idsOf(await store.listMessages(server, page()))).toHaveLength(3);
      expect(damageState()).toBe("failing");
    });
  });

  test("does not prevent searches of bodies from finding others", async () => {
    await reopened(flip("content", "detail", "number = 2"), async (store) => {
      const found = await store.searchMessages(server, criteriaExpression({ body: "body", match: "ALL" }), page());
      expect(idsOf(found).toSorted()).toEqual([ids()[0], ids()[2]].toSorted());
    });
  });
});

test("reports damaged content and indexes the messages after it", async () => {
  const directory = await aDirectory();
  const tasks = createBackgroundTasks(new FakeClock(), () => undefined);
  const index = { serverMessageCountMin: 0, newMessageCountMin: 1, segmentMessageCountMax: 8 };
  const setUp = await openSqliteStore({
    directory,
    durable: false,
    index: { ...index, serverMessageCountMin: Infinity },
  });
  const { id: server } = await setUp.createServer(aServer());
  const messages = Array.from({ length: 12 }, (_, place) => draft(server, { body: `body number ${place} of twelve` }));
  await setUp.addMessages(messages);
  await setUp.close();
  edit(directory, flip("content", "detail", "number = 2"));
  const store = await openSqliteStore({ directory, durable: false, index, tasks });
  await expect.poll(async () => (await store.statistics()).indexBacklogCount).toBe(0);
  const stateOf = (name: string) => tasks.states().find(({ task }) => task === name);
  await expect.poll(() => stateOf("text_index")?.state).toBe("ok");
  expect(stateOf("stored_data")).toMatchObject({ state: "failing", failureCount: 1 });
  const found = await store.searchMessages(server, criteriaExpression({ body: "number 11 of", match: "ALL" }), page());
  expect(idsOf(found)).toEqual([messages[11]?.id]);
  await store.close();
});

test("reports content that a purge cannot delete, and reclaims all other content", async () => {
  const directory = await aDirectory();
  const tasks = createBackgroundTasks(new FakeClock(), () => undefined);
  const store = await openSqliteStore({ directory, durable: false, tasks });
  const { id: server } = await store.createServer(aServer());
  const { id: other } = await store.createServer(aServer());
  await store.addMessages(Array.from({ length: 20 }, () => draft(server)));
  await store.addMessages(Array.from({ length: 20 }, () => draft(other)));
  edit(
    directory,
    "create trigger poison before delete on content when old.number = 7 begin select raise(abort, 'damaged page'); end",
  );
  await store.emptyServer(server);
  await store.emptyServer(other);
  await expect.poll(async () => (await store.statistics()).purgeBacklogCount).toBe(0);
  const purge = tasks.states().find(({ task }) => task === "purge");
  expect(purge?.failureCount).toBeGreaterThan(0);
  expect(purge?.lastFailure?.reason).toContain("damaged page");
  await store.close();
  using database = new DatabaseSync(path.join(directory, databaseFileName));
  expect(database.prepare("select number from content").all()).toEqual([{ number: 7 }]);
  expect(database.prepare("select count(*) as count from message").get()).toEqual({ count: 0 });
});
