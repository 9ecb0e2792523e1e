import { criteriaExpression } from "../../../core/search/build-expression.ts";
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { parseMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, page } from "../../conformance/drafts.ts";
import { idsOf } from "../../conformance/setup.ts";
import type { Store } from "../../store.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { connectReader } from "../connection/connection.ts";
import type { IndexSettings } from "./index-work.ts";
import { openSqliteStore } from "../open.ts";
import { SegmentReads } from "./segments.ts";

const smallIndex: IndexSettings = { serverMessageCountMin: 0, newMessageCountMin: 3, segmentMessageCountMax: 12 };

/** Messages that the killed process leaves to the index, more than a segment holds. */
const unindexedCountMax = 30;

interface Round {
  readonly directory: string;
  readonly server: ServerId;
  readonly round: number;
  /** Filled with what was confirmed: each id and its body. */
  readonly expected: Map<MessageId, string>;
}

/** Stores and indexes in a process of its own, which is killed when some more messages are indexed. */
async function indexAndKill({ directory, server, round, expected }: Round): Promise<void> {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const source = `
    import { openSqliteStore } from ${url("../open.ts")};
    import { draft } from ${url("../../conformance/drafts.ts")};
    const index = ${JSON.stringify(smallIndex)};
    const store = await openSqliteStore({ directory: ${JSON.stringify(directory)}, durable: true, index });
    for (let n = 1; ; n += 1) {
      const at = ${Date.UTC(2026, 0, 1)} + ${round} * 1_000_000 + n;
      const body = "body " + at + " of many, " + "x".repeat(n % 50);
      const message = draft(${JSON.stringify(server)}, { at, body });
      await store.addMessages([message]);
      console.log(message.id + " " + body);
      for (;;) {
        const { messageCount, indexBacklogCount } = await store.statistics();
        console.log("indexed " + (messageCount - indexBacklogCount));
        // The index works when a flood of mail pauses: without a bound, a fast disk stores thousands before.
        if (indexBacklogCount < ${unindexedCountMax}) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const indexedBefore = expected.size;
  for await (const line of createInterface(child.stdout)) {
    const id = parseMessageId(line.slice(0, 36));
    if (id !== undefined) expected.set(id, line.slice(37));
    else if (Number(line.slice("indexed ".length)) > indexedBefore + 11 * (round + 1)) child.kill("SIGKILL");
  }
}

test("keeps searches exact, drops unfinished segments and catches up after a kill during indexing", async () => {
  const directory = await aDirectory();
  const withoutIndex = { directory, durable: true, index: { ...smallIndex, serverMessageCountMin: Infinity } };
  const setUp = await openSqliteStore(withoutIndex);
  const { id: server } = await setUp.createServer(aServer());
  await setUp.close();
  const expected = new Map<MessageId, string>();
  for (let round = 0; round < 3; round += 1) {
    await indexAndKill({ directory, server, round, expected });
    const store = await openSqliteStore(withoutIndex);
    using database = connectReader(path.join(directory, databaseFileName));
    const epoch = Number(database.prepare("select epoch from server").get()?.["epoch"]);
    // At least one: their number depends on how many merges the index had completed when it was killed.
    expect(new SegmentReads(database).list(epoch).length).toBeGreaterThan(0);
    await expectExact(store, server, expected);
    await expect
      .poll(() => database.prepare("select count(*) as count from text_segment where state <> 1").get()?.["count"])
      .toBe(0);
    await store.close();
  }

  const indexed = await openSqliteStore({ ...withoutIndex, index: smallIndex });
  await expect.poll(async () => (await indexed.statistics()).indexBacklogCount).toBeLessThan(3);
  await expectExact(indexed, server, expected);
  await indexed.close();
});

async function expectExact(store: Store, server: ServerId, expected: ReadonlyMap<MessageId, string>): Promise<void> {
  for (const [id, body] of [...expected].filter((_, place) => place % 7 === 0)) {
    const found = idsOf(await store.searchMessages(server, criteriaExpression({ body, match: "ALL" }), page()));
    const matching = [...expected].filter(([, other]) => other.includes(body)).map(([other]) => other);
    expect(found).toContain(id);
    expect(found).toEqual(expect.arrayContaining(matching));
    expect(found.length).toBeLessThanOrEqual(matching.length + 1);
  }
  const { count } = await store.searchMessages(
    server,
    criteriaExpression({ body: "of many, absent", match: "ALL" }),
    page(),
  );
  expect(count).toBe(0);
}
