import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { folded } from "../../conformance/setup.ts";
import { TestTextIndex } from "../text-index/text-index.test-aid.ts";
import { isSooner } from "./text-search.ts";

describe("a search of texts", () => {
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

  const searches = () =>
    index.database.statements.filter(({ sql }) => !sql.startsWith("set ") && !sql.startsWith("begin"));

  test.each([{ body: "nowhere to be found" }, { subject: "nowhere to be found" }, { subject: "q~" }])(
    "reads filters of segments after one slice without matches: %j",
    async (criteria) => {
      index.database.statements.length = 0;
      expect(await index.find(criteria, {}, 500)).toEqual([]);
      const statements = searches();
      expect(statements.length).toBeLessThan(8);
      // The slice is the only statement that compares texts.
      expect(statements.filter(({ sql }) => sql.includes(" like ")).length).toBe(1);
      expect(statements.filter(({ sql }) => sql.includes("text_page")).length).toBeGreaterThan(0);
    },
  );

  test("takes two statements in the database for an absent term", async () => {
    const pages = index.pages(500);
    for (const subject of ["nowhere 1", "nowhere 2"]) {
      index.database.statements.length = 0;
      const found = await pages.search(index.server, folded({ subject }), page());
      expect(found.count).toBe(0);
    }
    // The list of segments is cached.
    expect(searches()).toHaveLength(2);
  });

  test("reads the slots of few segments when many older messages match", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: "hello x" }, {}, 500)).toHaveLength(50);
    const [read, ...more] = searches().filter(({ sql }) => sql.includes("select number, slots"));
    // Arrays of numbers begin with 20 bytes; each number takes 12.
    const numbers = read?.parameters[2];
    expect(numbers).toBeInstanceOf(Buffer);
    expect((numbers as Buffer).length).toBeLessThanOrEqual(20 + 4 * 12);
    expect(more.length).toBeLessThan(2);
  });

  test("compares few messages when one matches", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: ` ${(7 * 7919).toString(36).padStart(5, "x")}, your` }, {}, 500)).toHaveLength(1);
    const compared = searches().filter(({ sql }) => sql.includes("c(slot)") && sql.includes(" like "));
    expect(compared.length).toBeGreaterThan(0);
    // Arrays of slots begin with 20 bytes; each slot takes 20.
    const slots = compared[0]?.parameters.at(-1);
    expect(slots).toBeInstanceOf(Buffer);
    expect((slots as Buffer).length / 20 - 1).toBeLessThan(20);
  });

  test("does not use the index when the newest messages match", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: "hello" }, {}, 500)).toHaveLength(50);
    expect(index.database.statements.filter(({ sql }) => sql.includes("text_segment"))).toEqual([]);
  });

  test("uses the index when other criteria may match alone", async () => {
    index.database.statements.length = 0;
    expect(await index.find({ body: "nowhere", sentTo: "nobody@x.test", match: "ANY" }, {}, 500)).toEqual([]);
    expect(index.database.statements.some(({ sql }) => sql.includes("text_segment"))).toBe(true);
  });

  test("reads one slice per statement when the index does not know the condition", async () => {
    index.database.statements.length = 0;
    const huge = { kind: "size", comparison: "larger", bytes: 1e12 } as const;
    expect((await index.pages(500).search(index.server, huge, page())).count).toBe(0);
    const slices = index.database.statements.filter(({ sql }) => sql.includes("from server"));
    // The last one finds that there are no more messages.
    expect(slices).toHaveLength(9);
    expect(slices.every(({ parameters }) => parameters.includes(500))).toBe(true);
  });

  test("looks every page up by the primary key", async () => {
    index.database.statements.length = 0;
    await index.find({ body: ` ${(9 * 7919).toString(36).padStart(5, "x")}, your` }, {}, 500);
    const settings = index.database.statements.filter(({ sql }) => sql.startsWith("set local")).map(({ sql }) => sql);
    await index.database.query("/* all servers */ analyze");
    for (const { sql, parameters } of searches()) {
      if (!/from (?:message|text_page|text_segment)/.test(sql)) continue;
      const plan = await index.database.transact(async (session) => {
        await session.query(settings.join("; "));
        return JSON.stringify(await session.query(`explain (format json) ${sql}`, parameters));
      });
      expect(plan).not.toContain('"Seq Scan"');
    }
  });
});
