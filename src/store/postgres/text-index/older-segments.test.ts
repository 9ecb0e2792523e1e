import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { draft, page } from "../../conformance/drafts.ts";
import type { NewMessage } from "../../store.ts";
import { TestTextIndex } from "./text-index.test-aid.ts";

let index: TestTextIndex;
beforeEach(async () => {
  index = await TestTextIndex.open();
});
afterEach(async () => {
  await index[Symbol.asyncDispose]();
});

describe("segments of messages of an older version", () => {
  test("are used for texts, and replaced by others with fields, one in each step", async () => {
    const all = Array.from({ length: 60 }, (_, at) =>
      draft(index.server, { body: `mail ${at}`, fields: { from: [`name ${at} <ann@x.test>`] } }),
    );
    await index.add(all);
    await index.index();
    await index.database.query("/* all servers */ update text_segment set has_fields = false");
    await index.database.query("/* all servers */ update text_progress set version = version + 1");
    const find = async (expression: SearchExpression): Promise<readonly string[]> =>
      (await index.pages(2).findExpression(index.server, expression, page())).identities.map(({ id }) => id);
    const check = async (): Promise<void> => {
      expect(await find({ kind: "part", part: "from", term: "ame 42 <" })).toEqual([all[42]?.id]);
      expect(await find({ kind: "part", part: "from", term: "absent" })).toEqual([]);
      expect(await find({ kind: "text", field: "body", term: "mail 17" })).toEqual([all[17]?.id]);
    };
    const count = async (): Promise<number> =>
      (
        await index.database.query<{ n: number }>(
          "/* all servers */ select count(*) as n from text_segment where not has_fields",
        )
      )[0]?.n ?? 0;
    const before = await count();
    expect(before).toBeGreaterThan(2);
    await check();
    const indexer = index.indexer();
    await indexer.step();
    expect(await count()).toBe(before - 1);
    await check();
    while (await indexer.step());
    expect([await count(), await index.memberCount()]).toEqual([0, 60]);
    await check();
  });

  test("find messages whose fields are stored after they were indexed", async () => {
    const all = Array.from({ length: 40 }, (_, at) => draft(index.server, { fields: { from: [`name ${at}`] } }));
    await index.add(all);
    await index.database.query("/* all servers */ update message set fields = null, size = null");
    await index.index();
    const putFields = async (some: readonly NewMessage[]): Promise<void> => {
      const fields = { from: ["ann"], attachment: ["found.pdf"] };
      await index.store.searchFields.putFields(some.map(({ id }) => ({ id, fields, sizeBytes: 1 })));
    };
    const find = async (): Promise<number> => {
      const expression = { kind: "part", part: "attachment", term: "found.pdf" } as const;
      return (await index.pages(2).findExpression(index.server, expression, page())).identities.length;
    };
    await putFields(all.slice(0, 20));
    expect(await find()).toBe(20);
    await index.index();
    expect(await find()).toBe(20);
    await putFields(all.slice(20));
    expect(await find()).toBe(40);
    await index.index();
    expect(await find()).toBe(40);
  });
});
