import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { TestTextIndex } from "../text-index/text-index.test-aid.ts";

describe("a search by an expression in 3000 indexed messages", () => {
  let index: TestTextIndex;
  beforeAll(async () => {
    index = await TestTextIndex.open();
    const drafts = Array.from({ length: 3000 }, (_, n) => {
      const fields = { from: [`app${n % 7} <app${n % 7}@x.test>`] };
      return draft(index.server, { at: epochMs + n, body: `word ${n} ${n % 2 === 0 ? "even" : "odd"}`, fields });
    });
    await index.add(drafts);
    await index.index();
  });
  afterAll(async () => {
    await index[Symbol.asyncDispose]();
  });

  const count = async (expression: SearchExpression): Promise<number> => {
    const within = page({ itemsPerPage: 10_000 });
    return (await index.pages(500).find(index.server, expression, within)).identities.length;
  };
  const body = (term: string): SearchExpression => ({ kind: "text", field: "body", term });
  const part = (term: string): SearchExpression => ({ kind: "part", part: "any", term });

  test("merges matches of the index with those of names, and excludes bodies", async () => {
    expect(await count({ kind: "or", of: [body("word 2999"), part("app6@")] })).toBe(429);
    expect(await count({ kind: "or", of: [body("word 2999"), part("nobody")] })).toBe(1);
    expect(await count({ kind: "and", of: [body("word 29"), { kind: "not", of: body("even") }] })).toBe(56);
    const either: SearchExpression = { kind: "or", of: [body("word 12"), part("app3 ")] };
    expect(await count({ kind: "and", of: [either, { kind: "not", of: body("odd") }] })).toBe(
      Array.from({ length: 3000 }, (_, n) => n).filter(
        (n) => n % 2 === 0 && (String(n).startsWith("12") || n % 7 === 3),
      ).length,
    );
  });
});
