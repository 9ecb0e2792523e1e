import { expect, test, afterEach, beforeEach, describe } from "vitest";
import { GroupCommit, type Group } from "./commits.ts";
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

type CommittedGroup = readonly (readonly [server: number, parts: readonly string[]])[];

/** Returns a clock that advances only on `advance`. */
function manualClock() {
  let now = 0;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    monotonicMs: () => now,
    after: (delayMs: number, action: () => void) => {
      timers.push({ at: now + delayMs, action });
      return () => undefined;
    },
    advance: (ms: number) => {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { action } of due) action();
    },
  };
}

/** Returns a group commit whose groups complete when the test calls `end`. */
function scripted(options: { readonly commitCountMax?: number; readonly serverCountMax?: number } = {}) {
  const groups: { readonly committed: CommittedGroup; readonly end: () => void }[] = [];
  const commit = async (group: Group<string, string>): Promise<void> => {
    await new Promise<void>((resolve) => {
      const committed = [...group].map(([server, calls]) => [server, calls.flatMap(({ parts }) => parts)] as const);
      groups.push({ committed, end: resolve });
    });
    for (const call of [...group.values()].flat()) call.resolve(call.parts.map((part) => part.toUpperCase()));
  };
  const clock = manualClock();
  const bounds = { commitCountMax: 1, serverCountMax: 100, ...options };
  const groupCommit = new GroupCommit<string, string>({ commit, clock, ...bounds });
  const add = async (server: number, part: string, sizeBytes = 1) =>
    groupCommit.add({ server, parts: [part], sizeBytes });
  return { groups, add, advance: clock.advance };
}

const settle = async (): Promise<void> => {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
};

test("combines calls that arrive during a commit into the next group, ordered by server", async () => {
  const { groups, add, advance } = scripted();
  const first = add(5, "a");
  await settle();
  const rest = [add(9, "b"), add(5, "c"), add(9, "d")];
  await settle();
  expect(groups.map(({ committed }) => committed)).toEqual([[[5, ["a"]]]]);
  advance(100);
  groups[0]?.end();
  expect(await first).toEqual(["A"]);
  await settle();
  expect(groups[1]?.committed).toEqual([
    [5, ["c"]],
    [9, ["b", "d"]],
  ]);
  groups[1]?.end();
  expect(await Promise.all(rest)).toEqual([["B"], ["C"], ["D"]]);
});

test("commits two groups concurrently, but never two of the same server", async () => {
  const { groups, add, advance } = scripted({ commitCountMax: 2 });
  void add(1, "a");
  await settle();
  void add(1, "b");
  void add(2, "c");
  advance(100);
  await settle();
  expect(groups.map(({ committed }) => committed)).toEqual([[[1, ["a"]]], [[2, ["c"]]]]);
  advance(100);
  groups[0]?.end();
  await settle();
  expect(groups[2]?.committed).toEqual([[1, ["b"]]]);
});

test("limits the servers, calls and bytes of a group without losing calls", async () => {
  const { groups, add, advance } = scripted({ serverCountMax: 1 });
  void add(1, "a");
  void add(2, "b");
  for (let count = 0; count < 300; count += 1) void add(3, "c");
  void add(4, "d", 9e6);
  void add(4, "e");
  const sizes: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    await settle();
    advance(100);
    await settle();
    sizes.push(groups[count]?.committed.flatMap(([, parts]) => parts).length ?? 0);
    groups[count]?.end();
  }
  expect(sizes).toEqual([1, 1, 256, 1, 44, 1]);
});

test("commits a single caller without delay", async () => {
  const { groups, add } = scripted();
  for (let count = 0; count < 3; count += 1) {
    const added = add(1, "a");
    await settle();
    expect(groups).toHaveLength(count + 1);
    groups[count]?.end();
    await added;
  }
});

test("delays a group under concurrency until a few milliseconds pass or enough calls wait", async () => {
  const { groups, add, advance } = scripted();
  for (const part of ["a", "b"]) void add(1, part);
  await settle();
  expect(groups[0]?.committed).toEqual([[1, ["a", "b"]]]);
  groups[0]?.end();
  void add(1, "c");
  await settle();
  advance(7);
  expect(groups).toHaveLength(1);
  advance(1);
  expect(groups[1]?.committed).toEqual([[1, ["c"]]]);
  groups[1]?.end();
  for (let count = 0; count < 40; count += 1) void add(1, "d");
  await settle();
  expect(groups).toHaveLength(3);
});

test("does not delay calls when the clock steps back", async () => {
  const { groups, add, advance } = scripted();
  void add(1, "a");
  await settle();
  groups[0]?.end();
  advance(-3_600_000);
  for (const part of ["b", "c"]) void add(1, part);
  await settle();
  expect(groups).toHaveLength(2);
});

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
