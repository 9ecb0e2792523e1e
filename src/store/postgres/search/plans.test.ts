import type { Criteria } from "../../../core/criteria.ts";
import { freshKey } from "../../../core/api-key.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { anyText } from "../../../core/search/build-expression.ts";
import { and, type SearchExpression } from "../../../core/search/search-expression.ts";
import { attachmentIdAt, type ServerId } from "../../../core/ids.ts";
import { aServer, draft, epochMs, page } from "../../conformance/drafts.ts";
import { folded } from "../../conformance/setup.ts";
import type { NewMessage, Store } from "../../store.ts";
import { openDatabase } from "../connection/database.ts";
import { migrateDatabase } from "../open.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, migratedDatabaseUrl } from "../postgres.test-aid.ts";
import { RecordingDatabase, type Recorded } from "../recording.test-aid.ts";
import { serverTables } from "../schema/citus.ts";
import { Changes } from "../messages/changes.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { Indexer } from "../text-index/indexer.ts";
import { textIndexSettings } from "../text-index/segments.ts";

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly Plan[];
}

let url = "";
let database: RecordingDatabase;
let store: Store;
let large: ServerId;
let stored: readonly NewMessage[] = [];

beforeAll(async () => {
  url = await migratedDatabaseUrl();
  await migrateDatabase({ url });
  database = new RecordingDatabase(openDatabase(url));
  store = createPostgresStore({
    database,
    clock: systemClock,
    isDistributed: false,
    largeContent: null,
    textIndex: {},
  });
  // One server that is large enough for index scans, and many small ones.
  large = (await store.createServer(aServer())).id;
  stored = Array.from({ length: 4000 }, (_, n) =>
    draft(large, { at: epochMs + n, to: [`u${n % 50}@x.test`], from: ["f@x.test"], subject: `s ${n}`, body: `b ${n}` }),
  );
  for (let start = 0; start < stored.length; start += 500) await store.addMessages(stored.slice(start, start + 500));
  for (let n = 0; n < 60; n += 1) {
    const { id } = await store.createServer(aServer());
    await store.addMessages(Array.from({ length: 20 }, () => draft(id, { to: ["u1@x.test"], from: ["f@x.test"] })));
  }
  const indexer = new Indexer(database, { ...textIndexSettings, segmentMessageCountMax: 500 });
  while (await indexer.advance(serverNumberOf(large)));
  await database.query("analyze");
});

afterAll(async () => {
  await store.close();
  await dropDatabase(url);
});

describe("queries of one server use an index", () => {
  const search = (criteria: Partial<Criteria>, within = {}) =>
    store.searchMessages(large, folded(criteria), page(within));
  const find = (expression: SearchExpression) => store.findMessages(large, expression, page());
  test.each<readonly [string, () => Promise<unknown>]>([
    ["a list", () => store.listMessages(large, page())],
    ["a deep page", () => store.listMessages(large, page({ page: 30 }))],
    ["a list after a time", () => store.listMessages(large, page({ receivedAfter: epochMs + 3990 }))],
    ["a list after a sequence", () => store.listMessages(large, page({ afterSequence: 3990 }))],
    ["sentTo", () => search({ sentTo: "u1@x.test" })],
    ["sentTo without matches", () => search({ sentTo: "nobody@x.test" })],
    ["sentFrom that all messages match", () => search({ sentFrom: "f@x.test" })],
    ["sentTo after a sequence", () => search({ sentTo: "u1@x.test" }, { afterSequence: 3990 })],
    ["sentTo and body", () => search({ sentTo: "u1@x.test", body: "b 1" })],
    ["sentTo or subject", () => search({ sentTo: "u1@x.test", subject: "s 1", match: "ANY" })],
    ["subject", () => search({ subject: "s 39" })],
    ["body", () => search({ body: "b 39" })],
    ["body without matches", () => search({ body: "nowhere" })],
    ["subject without matches", () => search({ subject: "nowhere" })],
    ["subject and body in one message", () => search({ subject: "s 77", body: "b 777" })],
    ["subject or body without matches", () => search({ subject: "nowhere", body: "nowhere", match: "ANY" })],
    ["sentFrom and subject without matches", () => search({ sentFrom: "f@x.test", subject: "nowhere else" })],
    ["a flag without matches", () => find({ kind: "flag", flag: "flagged" })],
    ["a part that no message has", () => find({ kind: "present", part: "code" })],
    [
      "a part that no message has, and a word",
      () => find(and({ kind: "present", part: "attachment" }, anyText("s 1"))),
    ],
    ["body without matches, repeated", () => search({ body: "nowhere" })],
    ["the detail", () => store.getDetail(stored[7]?.id ?? missingId())],
    ["the raw bytes", () => store.getRaw(stored[7]?.id ?? missingId())],
    [
      "the owner of an attachment",
      () => store.findMessageOfAttachment(attachmentIdAt(stored[7]?.id ?? missingId(), 3)),
    ],
    ["whole messages", () => store.readMessages(large, stored[7]?.id ?? missingId(), 1e6)],
    ["the changes", () => store.listChanges(large, 3990, 100)],
    ["the delivery", () => store.outbox.getDelivery(stored[7]?.id ?? missingId())],
    ["a deletion", () => store.deleteMessage(stored[9]?.id ?? missingId())],
    ["expiry", () => store.expireMessages(large, { receivedBefore: epochMs + 2, keepNewest: null })],
    ["the server", () => store.getServer(large)],
  ])("%s", async (_name, run) => {
    database.statements.length = 0;
    await run();
    const executed = database.statements.filter(({ sql }) => /^\s*(?:select|with|delete|update)/i.test(sql));
    expect(executed.length).toBeGreaterThan(0);
    const settings = database.statements.filter(({ sql }) => sql.startsWith("set local")).map(({ sql }) => sql);
    for (const statement of executed) await expectIndexed(statement, settings.join("; "));
  });
});

test("a search for a part that no message has reads the index of that part only", async () => {
  database.statements.length = 0;
  await store.findMessages(large, { kind: "present", part: "code" }, page());
  const looked = database.statements.find(({ sql }) => sql.includes("with looked"));
  if (looked === undefined) throw new Error("the search executed no statement");
  const [row] = await database.query<{ "QUERY PLAN": unknown }>(
    `explain (format json) ${looked.sql}`,
    looked.parameters,
  );
  expect(JSON.stringify(row)).toContain("message_with_code");
});

test("changes are read with their messages by the primary key", async () => {
  database.statements.length = 0;
  const changes = await new Changes(database).listWithMessages(large, 3990, 10);
  expect(changes?.map(({ change, message }) => [change.id, message?.subject])).toEqual(
    stored.slice(3990).map(({ id, keys }) => [id, keys.subject]),
  );
  const [message, ...more] = (await planOf(database.statements.at(0))).filter(
    (node) => node["Relation Name"] === "message",
  );
  expect([message?.["Node Type"], more]).toEqual(["Index Scan", []]);
  expect(message?.["Index Cond"]).toMatch(/slot >= .*slot <=/);
});

test("a key is found by the indexes of both secrets", async () => {
  database.statements.length = 0;
  await store.findKey("hash");
  const nodes = await planOf(database.statements.at(0), "set local enable_seqscan = off");
  const indexes = nodes.flatMap((node) => node["Index Name"] ?? []);
  expect(indexes.toSorted()).toEqual(["api_key_former", "api_key_hash_key"]);
});

test("the purge uses the primary key", async () => {
  const { id } = await store.createServer(aServer());
  await store.addMessages(Array.from({ length: 500 }, () => draft(id, { to: ["a@x.test"] })));
  await database.query("analyze");
  database.statements.length = 0;
  await store.emptyServer(id);
  await expect.poll(async () => (await store.statistics()).purgeBacklogCount).toBe(0);
  const deletions = database.statements.filter(({ sql }) => /delete from (?:message|address)/.test(sql));
  expect(deletions.length).toBeGreaterThan(2);
  for (const deletion of deletions) await expectIndexed(deletion, "");
});

test("the store restricts every statement on a server table to one server, or marks it as one for all servers", async () => {
  const { id } = await store.createServer(aServer());
  await store.addKey({ ...freshKey, id: "k", name: "", hash: "h", server: id, createdAt: 1 });
  await store.putZone(id, "z");
  await store.updateServer(id, { name: "n" });
  const big = draft(id, { raw: Buffer.from(Float64Array.from({ length: 200_000 }, Math.random).buffer) });
  await store.addMessages([big]);
  await store.getRaw(big.id);
  await store.readMessages(id, null, 1e6);
  await store.raiseUsage([{ day: 1, team: null, email: 1, sms: 1, bytes: 1, outbound: 1 }]);
  await store.deleteMessage(big.id);
  await store.deleteServer(id);
  for (const list of [
    store.listServers(),
    store.findOldestServer(),
    store.listServersForMaintenance(0),
    store.listUsage(0),
    store.listServerUsage(0, 9),
    store.compactUsage(0, 9),
    store.teamLimits.measureTeam("t"),
  ])
    await list;
  const onServerTable = new RegExp(String.raw`\b(?:from|into|update|join)\s+(?:${serverTables.join("|")})\b`, "i");
  const onServers = database.statements.filter(({ sql }) => onServerTable.test(sql));
  expect(new Set(onServers.map(({ sql }) => sql)).size).toBeGreaterThan(30);
  const namesServer = /server_id = \$\d|\(server_id[^)]*\)\s*(?:values \(\$1|select \$\d+::bigint)/;
  const unrestricted = onServers.filter(({ sql }) => !namesServer.test(sql) && !sql.includes("/* all servers */"));
  expect(unrestricted).toEqual([]);
});

/** Returns the nodes of the plan of a statement. */
async function planOf(statement: Recorded | undefined, settings = ""): Promise<readonly Plan[]> {
  if (statement === undefined) throw new Error("no statement was executed");
  const [row] = await database.transact(async (session) => {
    if (settings !== "") await session.query(settings);
    return await session.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(
      `explain (format json) ${statement.sql}`,
      statement.parameters,
    );
  });
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (plan === undefined) throw new Error("EXPLAIN returned no plan");
  return flatten(plan);
}

async function expectIndexed(statement: Recorded, settings: string): Promise<void> {
  const { sql } = statement;
  const nodes = await planOf(statement, settings);
  const readers = nodes.filter((node) =>
    ["message", "address", "change", "text_segment", "text_page"].includes(node["Relation Name"] ?? ""),
  );
  const scans = readers.map((node) => node["Node Type"]).filter((type) => type !== "ModifyTable");
  const indexed = ["Index Scan", "Index Only Scan", "Bitmap Heap Scan"];
  expect({ sql, scans: scans.filter((type) => !indexed.includes(type)) }).toEqual({ sql, scans: [] });
  // Few messages follow a sequence and all of them are read, so that sorting is cheap.
  if (sql.includes("m.sequence >")) return;
  const sorts = nodes.filter((node) => node["Node Type"].includes("Sort"));
  const sorted = sorts.flatMap((sort) => flatten(sort, (node) => node["Node Type"] !== "Limit"));
  const relations = sorted
    .map((node) => node["Relation Name"])
    .filter((name) => name === "message" || name === "address");
  expect({ sql, relations }).toEqual({ sql, relations: [] });
}

/** Returns a plan node and its descendants, without those below nodes for which `isIncluded` is false. */
function flatten(plan: Plan, isIncluded: (plan: Plan) => boolean = () => true): readonly Plan[] {
  return isIncluded(plan) ? [plan, ...(plan.Plans ?? []).flatMap((child) => flatten(child, isIncluded))] : [];
}

function missingId(): never {
  throw new Error("no message was stored");
}
