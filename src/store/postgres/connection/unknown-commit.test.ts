import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import type { ServerId } from "../../../core/ids.ts";
import { aServer, draft, epochMs, page } from "../../conformance/drafts.ts";
import { idsOf, makeServer } from "../../conformance/setup.ts";
import { openDatabase, type Database, type Session } from "./database.ts";
import { ConnectionLost, unavailable } from "./errors.ts";
import type { Store } from "../../store.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { RecordingDatabase } from "../recording.test-aid.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../reused-database.test-aid.ts";

/** Database whose calls fail on demand: with a lost connection before or after the commit, or as unreachable. */
class FailingDatabase implements Database {
  readonly #database: Database;
  /** Failures of the next calls, in order. */
  failures: ("after" | "before" | "unreachable")[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]> {
    return this.#runOrFail(() => this.#database.query<Row>(sql, parameters));
  }

  transact<Result>(body: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#runOrFail(() => this.#database.transact(body));
  }

  read<Result>(settings: string, body: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#runOrFail(() => this.#database.read(settings, body));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #runOrFail<Result>(run: () => Promise<Result>): Promise<Result> {
    const failure = this.failures.shift();
    if (failure === "unreachable") throw unavailable(new Error("cannot connect to any host of the database"));
    const result = failure === "before" ? undefined : await run();
    if (failure !== undefined) throw unavailable(new ConnectionLost(true));
    return result as Result;
  }
}

let url = "";
let recorded: RecordingDatabase;
let database: FailingDatabase;
let store: Store;
let server: ServerId;

beforeEach(async () => {
  url = await emptyDatabaseUrl();
  recorded = new RecordingDatabase(openDatabase(url));
  database = new FailingDatabase(recorded);
  store = createPostgresStore({ database, clock: systemClock, isDistributed: false, largeContent: null });
  server = await makeServer(store);
});

afterEach(async () => {
  await store.close();
  await releaseDatabase(url);
});

describe("a commit whose outcome is unknown", () => {
  test.each([
    ["after the commit", ["after"]],
    ["before the commit", ["before"]],
    ["repeatedly", ["after", "after", "before", "after"]],
    [
      "and the database is unreachable for longer than the wait limit",
      ["after", "unreachable", "unreachable", "unreachable"],
    ],
  ] as const)("is resolved before the calls return when the connection breaks %s", async (_name, failures) => {
    database.failures = [...failures];
    const messages = Array.from({ length: 5 }, () => draft(server, { to: ["t@x.test"] }));
    const stored = await Promise.all(messages.map((message) => store.addMessages([message])));
    expect(stored.flat().every(({ outcome }) => outcome === "stored")).toBe(true);
    const sequences = stored.flat().map((one) => (one.outcome === "stored" ? one.sequence : 0));
    expect(sequences.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    expect(idsOf(await store.listMessages(server, page()))).toHaveLength(5);
    expect(await store.listUsage(0)).toMatchObject([{ email: 5 }]);
  });

  test("is resolved for a message with an outbox entry", async () => {
    const message = draft(server, { direction: "Sent" });
    const entry = { id: "e", message: message.id, route: "relay", mailFrom: "", rcptTo: [], content: null } as const;
    database.failures = ["after"];
    await store.addMessages([message], { entries: [{ ...entry, status: "Queued", lastError: null, at: epochMs }] });
    expect(
      await store.outbox.queue.claim({
        now: epochMs,
        leaseEndsAt: epochMs + 1,
        lease: "l",
        keys: [{ key: "", limit: 9 }],
      }),
    ).toHaveLength(1);
  });

  test("is resolved for content in chunks", async () => {
    const raw = Buffer.from(Float64Array.from({ length: 300_000 }, Math.random).buffer);
    const message = draft(server, { raw });
    database.failures = ["after"];
    expect(await store.addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
    expect(Buffer.compare((await store.getRaw(message.id)) ?? Buffer.alloc(0), raw)).toBe(0);
  });
});

test("writes before confirming a message that is already stored, so that synchronous standbys have it", async () => {
  const message = draft(server);
  await store.addMessages([message]);
  const walPosition = async (): Promise<unknown> =>
    (await recorded.query<{ at: unknown }>("select pg_current_wal_insert_lsn()::text as at"))[0]?.at;
  const before = await walPosition();
  recorded.statements.length = 0;
  expect(await store.addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
  expect(recorded.statements.map(({ sql }) => sql)).toContain(
    "update server set sequence = sequence where server_id = $1",
  );
  expect(await walPosition()).not.toBe(before);
});

test("stores the other calls of a group when one of them fails", async () => {
  const valid = draft(server, { subject: "a" });
  const broken = { ...valid, keys: { ...valid.keys, subject: "not \0 folded" } };
  const calls = [store.addMessages([draft(server)]), store.addMessages([broken]), store.addMessages([draft(server)])];
  const settled = await Promise.allSettled(calls);
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect((await store.getServer(server))?.messages).toBe(2);
});

test("rejects with unavailable and stores nothing when the database is closed", async () => {
  const other = aServer();
  await store.createServer(other);
  const closed = openDatabase(url);
  await closed.close();
  const unreachable = createPostgresStore({
    database: closed,
    clock: systemClock,
    isDistributed: false,
    largeContent: null,
  });
  await expect(unreachable.addMessages([draft(other.id)])).rejects.toMatchObject({ code: "unavailable" });
  expect((await store.getServer(other.id))?.messages).toBe(0);
  await unreachable.close();
});
