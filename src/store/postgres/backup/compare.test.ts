import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { aServer, draft } from "../../conformance/drafts.ts";
import { namedCountMax, type ServerComparison } from "../../server-comparison.ts";
import type { Store } from "../../store.ts";
import { withDatabase } from "../connection/connection-url.ts";
import { openDatabase } from "../connection/database.ts";
import { openPostgresStore } from "../open.ts";
import { dropDatabase, migratedDatabaseUrl, testDatabaseUrl } from "../postgres.test-aid.ts";
import { compareDatabases } from "./compare.ts";

let source: string;
let restored: string;
let server: ServerId;
let ids: readonly MessageId[];

const change = async (body: (store: Store) => Promise<unknown>): Promise<void> => {
  const store = await openPostgresStore({ url: source });
  await body(store);
  await store.close();
};
const run = async (sql: string, url = restored): Promise<void> => {
  const database = openDatabase(url);
  await database.query(sql);
  await database.close();
};
const nameOf = (url: string): string => new URL(url).pathname.slice(1);
const compare = async (sampleCount = 100): Promise<readonly ServerComparison[]> =>
  compareDatabases({ source, restored, sampleCount });
const compareOne = async (): Promise<ServerComparison | undefined> =>
  (await compare()).find((one) => one.server === server);

/** Makes the restored copy by the database's own copy of its files. */
async function copy(): Promise<void> {
  const server_ = withDatabase(source, "postgres");
  await run(`drop database if exists "${nameOf(restored)}" with (force)`, server_);
  await run(`create database "${nameOf(restored)}" template "${nameOf(source)}"`, server_);
}

beforeEach(async () => {
  [source, restored] = [await migratedDatabaseUrl(), await testDatabaseUrl()];
  await change(async (store) => {
    ({ id: server } = await store.createServer(aServer()));
    const large = draft(server, { raw: randomBytes(3_000_000) });
    const messages = [...Array.from({ length: 30 }, () => draft(server, { body: "text" })), large];
    await store.addMessages(messages);
    ids = messages.map(({ id }) => id);
  });
  await copy();
});
afterEach(async () => {
  for (const url of [source, restored]) await dropDatabase(url);
});

const whole = { state: "compared", missingCount: 0, differingCount: 0, sampleDifferingCount: 0, named: [] };

test("finds a copy equal, with the contents of the newest messages", async () => {
  const counts = { arrivedCount: 0, changedCount: 0, removedCount: 0 };
  expect(await compare()).toEqual([
    { server, restoredCount: 31, sourceCount: 31, ...whole, ...counts, sampledCount: 31 },
  ]);
  expect((await compare(5))[0]?.sampledCount).toBe(5);
});

test("counts what the source has changed since, which is no fault", async () => {
  await change(async (store) => {
    await store.addMessages([draft(server), draft(server)]);
    await store.deleteMessage(ids[0] as MessageId);
    await store.marks.changeMarks(server, [ids[1] as MessageId], { addFlags: ["seen"] });
  });
  expect(await compareOne()).toMatchObject({ ...whole, sourceCount: 32, arrivedCount: 2, removedCount: 1 });
});

describe("a copy that is not whole", () => {
  test.each([
    ["lacks a message", "delete from message where sequence = 2", { missingCount: 1 }],
    ["has another summary", "update message set summary = '{}' where sequence = 2", { differingCount: 1 }],
    ["has another change number", "update message set sequence = 1 where sequence = 2", { differingCount: 1 }],
    ["has another detail", "update message set detail = '\\x00' where sequence = 2", { sampleDifferingCount: 1 }],
    ["lacks a chunk", "delete from chunk where number = 1", { sampleDifferingCount: 1 }],
    ["has another chunk", "update chunk set bytes = '\\x00' where number = 0", { sampleDifferingCount: 1 }],
  ])("differs when it %s, and the message is named", async (_what, sql, counts) => {
    await run(sql);
    const found = await compareOne();
    expect(found).toMatchObject({ state: "compared", ...counts });
    expect(found?.named).toEqual([ids[sql.includes("chunk") ? 30 : 1]]);
  });

  test("has at most twenty names", async () => {
    await run("delete from message");
    expect(await compareOne()).toMatchObject({ missingCount: 31, sampledCount: 0 });
    expect((await compareOne())?.named).toHaveLength(namedCountMax);
  });
});

test("tells servers that were added, deleted, and created again under the same id", async () => {
  let added: ServerId | undefined;
  await change(async (store) => {
    ({ id: added } = await store.createServer(aServer()));
  });
  expect((await compare()).map((one) => [one.server, one.state])).toContainEqual([added, "new"]);
  await change(async (store) => store.deleteServer(server));
  expect(await compareOne()).toMatchObject({ state: "removed", restoredCount: 31, sourceCount: 0 });
  await run("update server set uid_validity = uid_validity - 1");
  await change(async (store) => store.createServer(aServer({ id: server })));
  expect(await compareOne()).toMatchObject({ state: "other", missingCount: 0 });
});

test.each([
  ["no tables", "drop table restante_schema", "has no tables"],
  ["an older schema", "update restante_schema set version = 0", "run restante migrate"],
  ["a newer schema", "update restante_schema set version = 99, needed = 99", "start the newer release"],
])("rejects a copy with %s", async (_what, sql, reason) => {
  await run(sql);
  await expect(compare()).rejects.toThrow(reason);
});
