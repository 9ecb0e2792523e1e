import type { FoundMessages } from "../../mark-store.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../core/search/build-expression.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { expressionDrafts, expressions, matchesOf, type StoredMessage } from "../../conformance/expression-model.ts";
import { Statements } from "../connection/connection.ts";
import { eagerIndex, TestIndex } from "../text-index/test-index.test-aid.ts";
import { Search } from "./search.ts";
import { rowsWithPart } from "./expression-dialect.ts";

/** Searches in the shortest possible slices. */
function search(index: TestIndex, expression: SearchExpression): FoundMessages {
  const { servers, changes, segments } = index.reads;
  const sources = { statements: new Statements(index.reading), servers, changes, segments, sliceMsMax: -1 };
  const running = new Search(sources, { server: index.server, expression, page: page(), result: "ids" });
  for (;;) {
    const found = index.reads.snapshot.read(() => running.step()) as FoundMessages | undefined;
    if (found !== undefined) return found;
  }
}

describe("a search by an expression", () => {
  test("finds the same with an index of small segments, in the shortest slices, while some messages are not indexed", async () => {
    const property = fc.asyncProperty(
      fc.tuple(expressionDrafts, expressionDrafts),
      fc.array(expressions, { minLength: 25, maxLength: 25 }),
      async ([indexed, further], all) => {
        const index = await TestIndex.open(eagerIndex);
        const messages = [...indexed, ...further].map((fields, at) =>
          draft(index.server, { ...fields, at: (fields.at ?? 0) + (at < indexed.length ? 0 : 100) }),
        );
        const stored: StoredMessage[] = [];
        const add = (part: typeof messages): void => {
          for (const [at, sequence] of index.add(part).entries()) {
            const message = part[at];
            if (message !== undefined) stored.push({ message, sequence });
          }
        };
        add(messages.slice(0, indexed.length));
        index.index();
        add(messages.slice(indexed.length));
        for (const expression of all) {
          const found = search(index, expression).identities.map(({ id }) => id);
          expect([expression, found]).toEqual([expression, matchesOf(stored, expression)]);
        }
      },
    );
    await fc.assert(property, { numRuns: 6 });
  });

  test("finds the few unread messages among thousands, on all sides of slices, and after deletions", async () => {
    const index = await TestIndex.open();
    const seen = { flags: ["seen" as const], tags: [] };
    const unread = new Set([0, 1, 4000, 4001, 8500]);
    const messages = Array.from({ length: 8600 }, (_, at) =>
      draft(index.server, {
        at: epochMs + at,
        raw: "",
        subject: "unread or not",
        ...(!unread.has(at) && { marks: seen }),
      }),
    );
    index.add(messages);
    const isUnread: SearchExpression = { kind: "not", of: { kind: "flag", flag: "seen" } };
    const found = (expression: SearchExpression): readonly number[] =>
      search(index, expression).identities.map(({ id }) => messages.findIndex((one) => one.id === id));
    const both: SearchExpression = { kind: "and", of: [isUnread, { kind: "type", type: "SMS" }] };
    expect([found(isUnread), found(both)]).toEqual([
      [8500, 4001, 4000, 1, 0],
      [8500, 4001, 4000, 1, 0],
    ]);
    const text: SearchExpression = { kind: "text", field: "subject", term: "unread" };
    expect(found({ kind: "and", of: [text, isUnread] })).toEqual([8500, 4001, 4000, 1, 0]);
    for (const at of [8500, 8400, 1]) index.call("deleteMessage", messages[at]?.id ?? missingId());
    expect(found(isUnread)).toEqual([4001, 4000, 0]);
  });

  test("compares no message that does not meet the condition, and calls no function of JavaScript for it", async () => {
    const index = await TestIndex.open();
    const parts = ["attachment", "inline", "code"] as const;
    const messages = Array.from({ length: 300 }, (_, at) =>
      draft(index.server, { fields: { from: ["ann@x.test"], ...(at < 3 && { [parts[at] ?? "code"]: ["x"] }) } }),
    );
    index.add(messages);
    let callCount = 0;
    const counting = (): number => {
      callCount += 1;
      return 1;
    };
    index.reading.function("part_of", counting);
    for (const [at, part] of parts.entries()) {
      const plan = index.reading
        .prepare(
          `explain query plan select id from ${rowsWithPart(part)} and epoch = 1 and id > x'00' order by id desc`,
        )
        .all();
      expect(plan.map(({ detail }) => detail)).toEqual([
        `SEARCH subject USING INDEX subject_with_${part} (epoch=? AND id>?)`,
      ]);
      expect(search(index, { kind: "present", part }).identities.map(({ id }) => id)).toEqual([messages[at]?.id]);
    }
    expect(search(index, { kind: "not", of: { kind: "present", part: "code" } }).identities).toHaveLength(50);
    expect(callCount).toBe(0);
  });

  test("reads no body that the index excludes, and few rows for an absent word", async () => {
    const index = await TestIndex.open({ ...eagerIndex, segmentMessageCountMax: 400 });
    const messages = Array.from({ length: 400 }, (_, at) =>
      draft(index.server, { body: "plain text", fields: { from: [`sender ${at} <news@shop.test>`] } }),
    );
    index.add(messages);
    index.index();
    index.writer.transact(() => {
      // A body that is read is reported as damaged.
      index.writing.exec("delete from content");
    });
    expect(search(index, anyText("sender 17 <")).identities.map(({ id }) => id)).toEqual([messages[17]?.id]);
    expect(search(index, anyText("zebracorn")).identities).toEqual([]);
  });
});

function missingId(): never {
  throw new Error("there is no such message");
}
