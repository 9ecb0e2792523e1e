import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { draft, epochMs } from "../../conformance/drafts.ts";
import { TestTextIndex } from "../text-index/text-index.test-aid.ts";
import { hasGrams, isSooner } from "./text-search.ts";

describe("a body search", () => {
  test.each([
    ["abc", true, true],
    ["ab", false, false],
    ["12 34 567", true, true],
    ["a-b-c", false, false],
    ["яяя", false, true],
    ["漢字", false, false],
    ["漢字検", false, true],
    ["%%%%", false, false],
    ["", false, false],
  ])("uses trigrams of %j with an ASCII locale: %s, with a Unicode locale: %s", (text, ascii, any) => {
    expect([hasGrams(text, "ascii"), hasGrams(text, "any")]).toEqual([ascii, any]);
  });

  test.each([
    ["no message matched so far", { seen: 0, looked: 2000, need: 51, held: 100_000 }, true],
    ["matches are rare", { seen: 2, looked: 2000, need: 49, held: 100_000 }, true],
    [
      "every tenth message matches and few results are missing",
      { seen: 45, looked: 2000, need: 6, held: 100_000 },
      false,
    ],
    ["all messages match and a deep page is requested", { seen: 2000, looked: 2000, need: 8000, held: 100_000 }, false],
  ])("chooses between index and scan when %s", (_name, progress, expected) => {
    expect(isSooner(progress)).toBe(expected);
  });
});

describe("a search of bodies in 4000 messages", () => {
  let index: TestTextIndex;
  beforeAll(async () => {
    index = await TestTextIndex.open();
    const words = Array.from({ length: 4000 }, (_, n) => (n * 7919).toString(36).padStart(5, "x"));
    await index.add(
      words.map((word, n) =>
        draft(index.server, {
          at: epochMs + n,
          body: `Hello ${word}, your code is ${n * 31}. ${"lorem ipsum ".repeat(20)}`,
        }),
      ),
    );
    await index.index();
  });
  afterAll(async () => {
    await index[Symbol.asyncDispose]();
  });

  test("uses the trigram index after one slice without matches", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: "nowhere to be found" }, {}, 500)).toEqual([]);
    const searches = index.database.statements.filter(({ sql }) => sql.includes("from server"));
    expect(searches.map(({ sql }) => sql.includes("indexed_text"))).toEqual([false, true]);
    const [, rest] = searches;
    const settings = index.database.statements.filter(({ sql }) => sql.startsWith("set local")).map(({ sql }) => sql);
    const plan = await index.database.transact(async (session) => {
      await session.query(settings.join("; "));
      return JSON.stringify(await session.query(`explain (format json) ${rest?.sql ?? ""}`, rest?.parameters));
    });
    expect(plan).toContain('"Index Name":"indexed_text_grams"');
    expect(plan).not.toContain('"Index Name":"indexed_text_pkey"');
    expect(plan).not.toContain('"Seq Scan"');
  });

  test("does not use the trigram index when the newest messages match", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: "hello" }, {}, 500)).toHaveLength(50);
    expect(index.database.statements.filter(({ sql }) => sql.includes("indexed_text"))).toEqual([]);
  });

  test("reads one slice per statement when the text is too short for the index", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: "q~" }, {}, 500)).toEqual([]);
    const slices = index.database.statements.filter(({ sql }) => sql.includes("from server"));
    expect(slices).toHaveLength(8);
    expect(slices.every(({ parameters }) => parameters.includes(500))).toBe(true);
  });
});
