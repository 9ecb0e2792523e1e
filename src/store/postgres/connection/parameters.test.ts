import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bigintArray, byteaArray, intArray, textArray, uuidArray } from "./parameters.ts";
import { openDatabase, type Database } from "./database.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";

let url = "";
let database: Database;

beforeAll(async () => {
  url = await testDatabaseUrl();
  database = openDatabase(url);
});

afterAll(async () => {
  await database.close();
  await dropDatabase(url);
});

async function read<Value>(type: string, array: Buffer): Promise<readonly Value[]> {
  const sql = `select value from unnest($1::${type}[]) with ordinality as v(value, n) order by n`;
  return (await database.query<{ value: Value }>(sql, [array])).map(({ value }) => value);
}

const numRuns = 40;

test("byteaArray encodes bytes and nulls", async () => {
  const values = fc.array(fc.option(fc.uint8Array({ maxLength: 300 })), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(values, async (sent) => {
      const received = await read<Buffer | null>("bytea", byteaArray(sent));
      expect(received.map((one) => one && [...one])).toEqual(sent.map((one) => one && [...one]));
    }),
    { numRuns },
  );
});

test("textArray encodes Unicode strings and UTF-8 bytes", async () => {
  const values = fc.array(fc.string({ unit: "grapheme", maxLength: 50 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(values, async (texts) => {
      const sent = texts.map((text) => text.replaceAll("\0", ""));
      expect(await read("text", textArray(sent))).toEqual(sent);
      expect(await read("text", textArray(sent.map((text) => Buffer.from(text))))).toEqual(sent);
    }),
    { numRuns },
  );
});

test("intArray and bigintArray encode numbers up to their bounds", async () => {
  const ints = [0, -1, 2 ** 31 - 1, -(2 ** 31), null];
  expect(await read("int4", intArray(ints))).toEqual(ints);
  const bigints = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  expect(await read("int8", bigintArray(bigints))).toEqual(bigints);
});

test("uuidArray encodes ids", async () => {
  const bytes = Buffer.from("0123456789abcdef8000f00000000001", "hex");
  expect(await read("uuid", uuidArray([bytes]))).toEqual(["01234567-89ab-cdef-8000-f00000000001"]);
});

test("textArray encodes an empty array", async () => {
  expect(await read("text", textArray([]))).toEqual([]);
});
