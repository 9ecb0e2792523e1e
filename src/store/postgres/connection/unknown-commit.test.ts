import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import type { ServerId } from "../../../core/ids.ts";
import { aServer, draft, epochMs, page } from "../../conformance/drafts.ts";
import { idsOf, makeServer } from "../../conformance/setup.ts";
import { openDatabase } from "./database.ts";
import type { Database, Session } from "./database.ts";
import { ConnectionLost, unavailable } from "./errors.ts";
import { migrateDatabase } from "../open.ts";
import type { Store } from "../../store.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { RecordingDatabase } from "../recording.test-aid.ts";

/** A database whose connections break, on demand, after the commit or before it; nobody is told which. Or it is away. */
class BreakingDatabase implements Database {
  readonly #database: Database;
  /** Of the next calls; empty means that nothing breaks any more. */
  breaks: ("after" | "before" | "away")[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]> {
    return this.#break(() => this.#database.query<Row>(sql, parameters));
  }

  transact<Result>(body: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#break(() => this.#database.transact(body));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #break<Result>(run: () => Promise<Result>): Promise<Result> {
    const moment = this.breaks.shift();
    if (moment === "away") throw unavailable(new Error("no host of the database can be used"));
    const result = moment === "before" ? undefined : await run();
    if (moment !== undefined) throw unavailable(new ConnectionLost(true));
    return result as Result;
  }
}

let url = "";
let recorded: RecordingDatabase;
let database: BreakingDatabase;
let store: Store;
let server: ServerId;

beforeEach(async () => {
  url = await testDatabaseUrl();
  await migrateDatabase({ url });
  recorded = new RecordingDatabase(openDatabase(url));
  database = new BreakingDatabase(recorded);
  store = createPostgresStore({ database, clock: systemClock, isDistributed: false, largeContent: null });
  server = await makeServer(store);
});

afterEach(async () => {
  await store.close();
  await dropDatabase(url);
});

describe("a commit whose outcome is unknown", () => {
  test.each([
    ["after it", ["after"]],
    ["before it", ["before"]],
    ["again and again", ["after", "after", "before", "after"]],
    ["and the database is away for longer than others wait for it", ["after", "away", "away", "away"]],
  ] as const)("is resolved before anyone is answered, when the connection broke %s", async (_name, breaks) => {
    database.breaks = [...breaks];
    const messages = Array.from({ length: 5 }, () => draft(server, { to: ["t@x.test"] }));
    const stored = await Promise.all(messages.map((message) => store.addMessages([message])));
    expect(stored.flat().every(({ outcome }) => outcome === "stored")).toBe(true);
    const sequences = stored.flat().map((one) => (one.outcome === "stored" ? one.sequence : 0));
    expect(sequences.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    expect(idsOf(await store.listMessages(server, page()))).toHaveLength(5);
    expect(await store.listUsage(0)).toMatchObject([{ email: 5 }]);
  });

  test("is resolved with what was stored along with the message", async () => {
    const message = draft(server, { direction: "Sent" });
    const entry = { id: "e", message: message.id, route: "relay", mailFrom: "", rcptTo: [], content: null } as const;
    database.breaks = ["after"];
    await store.addMessages([message], { entries: [{ ...entry, status: "Queued", lastError: null, at: epochMs }] });
    expect(
      await store.outbox.claimEntries({ now: epochMs, leaseEndsAt: epochMs + 1, lease: "l", limit: 9 }),
    ).toHaveLength(1);
  });

  test("is resolved for content that lies in chunks", async () => {
    const raw = Buffer.from(Float64Array.from({ length: 300_000 }, Math.random).buffer);
    const message = draft(server, { raw });
    database.breaks = ["after"];
    expect(await store.addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
    expect(Buffer.compare((await store.getRaw(message.id)) ?? Buffer.alloc(0), raw)).toBe(0);
  });
});

test("what is found to be stored already is answered after a write of its own, so that standbys have it", async () => {
  const message = draft(server);
  await store.addMessages([message]);
  const log = async (): Promise<unknown> =>
    (await recorded.query<{ at: unknown }>("select pg_current_wal_insert_lsn()::text as at"))[0]?.at;
  const before = await log();
  recorded.statements.length = 0;
  expect(await store.addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
  expect(recorded.statements.map(({ sql }) => sql)).toContain(
    "update server set sequence = sequence where server_id = $1",
  );
  expect(await log()).not.toBe(before);
});

test("one call that cannot be stored does not hurt those that are stored with it", async () => {
  const bad = draft(server, { subject: "a" });
  const broken = { ...bad, keys: { ...bad.keys, subject: "not \0 folded" } };
  const calls = [store.addMessages([draft(server)]), store.addMessages([broken]), store.addMessages([draft(server)])];
  const settled = await Promise.allSettled(calls);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect((await store.getServer(server))?.messages).toBe(2);
});

test("a database that is gone is said to be so, and nothing was stored", async () => {
  const other = aServer();
  await store.createServer(other);
  const closed = openDatabase(url);
  await closed.close();
  const lost = createPostgresStore({ database: closed, clock: systemClock, isDistributed: false, largeContent: null });
  await expect(lost.addMessages([draft(other.id)])).rejects.toMatchObject({ code: "unavailable" });
  expect((await store.getServer(other.id))?.messages).toBe(0);
  await lost.close();
});
