import { afterAll, describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { openDatabase } from "./database.ts";
import { EmbeddedPostgres } from "../embedded-postgres.test-aid.ts";
import { mayBeCommitted } from "./errors.ts";
import { testDatabaseUrl } from "../postgres.test-aid.ts";

const database = openDatabase(await testDatabaseUrl());
afterAll(() => database.close());

test("returns int8 as numbers and bytea as bytes", async () => {
  const rows = await database.query("select $1::int8 as n, $2::bytea as bytes, $3::uuid as id", [
    2 ** 42,
    Buffer.from([0, 255]),
    "0199e2a0-0000-8000-8000-000000000000",
  ]);
  expect(rows).toEqual([{ n: 2 ** 42, bytes: Buffer.from([0, 255]), id: "0199e2a0-0000-8000-8000-000000000000" }]);
  await expect(database.query("select 9007199254740993 as n")).rejects.toThrow("safe integer");
});

describe("a transaction", () => {
  test("is committed completely or rolled back", async () => {
    await database.query("create table whole(n int primary key)");
    await database.transact(async (session) => session.query("insert into whole values (1)"));
    await expect(
      database.transact(async (session) => {
        await session.query("insert into whole values (2)");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await database.query("select n from whole")).toEqual([{ n: 1 }]);
  });

  test("is repeated after a serialization failure", async () => {
    await database.query("create table counted(n int); insert into counted values (0)");
    const increment = () =>
      database.transact(async (session) => {
        await session.query("set transaction isolation level repeatable read");
        const [row] = await session.query<{ n: number }>("select n from counted");
        await session.query("update counted set n = $1", [(row?.n ?? 0) + 1]);
      });
    await Promise.all(Array.from({ length: 4 }, increment));
    expect(await database.query("select n from counted")).toEqual([{ n: 4 }]);
  });
});

describe("a reading transaction", () => {
  const settings = "set local enable_seqscan = off";

  test("sees one snapshot, has the settings, and cannot write", async () => {
    await database.query("create table growing(n int); insert into growing values (1)");
    const seen = await database.read(settings, async (session) => {
      const counts = [await session.query("select n from growing")];
      await database.query("insert into growing values (2)");
      counts.push(await session.query("select n from growing"));
      const [row] = await session.query<{ setting: string }>("select current_setting('enable_seqscan') as setting");
      return { counts, setting: row?.setting };
    });
    expect(seen).toEqual({ counts: [[{ n: 1 }], [{ n: 1 }]], setting: "off" });
    await expect(database.read(settings, (session) => session.query("delete from growing"))).rejects.toThrow(Problem);
  });

  test("ends before its connection is used again, and after a failure", async () => {
    const single = openDatabase(await testDatabaseUrl(), { connectionCountMax: 1 });
    const isOff = async (): Promise<boolean> =>
      (await single.query<{ setting: string }>("select current_setting('enable_seqscan') as setting"))[0]?.setting ===
      "off";
    await single.read(settings, async (session) => session.query("select 1"));
    expect(await isOff()).toBe(false);
    const failed = single.read(settings, () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
    expect(await isOff()).toBe(false);
    await single.close();
  });
});

test("cancels a statement after its timeout and reuses the connection", async () => {
  const limited = openDatabase(await testDatabaseUrl(), { statementMsMax: 1500, connectionCountMax: 1 });
  const [before] = await limited.query<{ pid: number }>("select pg_backend_pid() as pid");
  await expect(limited.query("select pg_sleep(60)")).rejects.toThrow(Problem);
  await expect(limited.transact((session) => session.query("select pg_sleep(60)"))).rejects.toThrow(Problem);
  expect(await limited.query("select pg_backend_pid() as pid")).toEqual([before]);
  await limited.close();
});

test("rejects with unavailable while the database is down, and reconnects afterwards", async () => {
  await using postgres = await EmbeddedPostgres.start({ durable: true });
  const own = openDatabase(postgres.url(), { connectionWaitMsMax: 3000 });
  await own.query("create table kept(n int)");
  const sleeping = own.query("select pg_sleep(60)");
  sleeping.catch(() => undefined);
  await postgres.kill();
  const error: unknown = await sleeping.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "unavailable", retryAfterSeconds: 2 });
  expect(mayBeCommitted(error)).toBe(true);
  await expect(own.query("select 1")).rejects.toMatchObject({ code: "unavailable" });
  await postgres.restart();
  await expect.poll(() => own.query("select n from kept").catch(() => null)).toEqual([]);
  await own.close();
  await expect(own.query("select 1")).rejects.toMatchObject({ code: "unavailable" });
});
