import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../core/search/any-text.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { draft, epochMs, page } from "../../conformance/drafts.ts";
import { expressionDrafts, expressions, matchesOf, type StoredMessage } from "../../conformance/expression-model.ts";
import { Statements } from "../connection/connection.ts";
import { eagerIndex, TestIndex } from "../text-index/test-index.test-aid.ts";
import { ExpressionSearch, type FoundMessages } from "./expression-search.ts";
import { rowsWithPart } from "./present-parts.ts";

/** Searches in the shortest possible slices. */
function search(index: TestIndex, expression: SearchExpression): FoundMessages {
  const { servers, changes, segments } = index.reads;
  const sources = { statements: new Statements(index.reading), servers, changes, segments, sliceMsMax: -1 };
  const running = new ExpressionSearch(sources, { server: index.server, expression, page: page() });
  for (;;) {
    const found = index.reads.snapshot.read(() => running.step());
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
          const found = search(index, expression).found.map(({ id }) => id);
          expect([expression, found]).toEqual([expression, matchesOf(stored, expression)]);
        }
      },
    );
    await fc.assert(property, { numRuns: 6 });
  });

  test("finds names in messages of an older version before and after their search fields are filled in, at each stage of indexing", async () => {
    // More messages in a segment than may have no fields.
    const index = await TestIndex.open({ ...eagerIndex, segmentMessageCountMax: 30 });
    const names = Array.from({ length: 60 }, (_, at) => `name ${at % 20}`);
    const messages = names.map((name) => {
      const contacts = { from: [{ name, email: "ann@x.test", phone: null }], to: [], cc: [], bcc: [] };
      return { ...draft(index.server), summaryJson: Buffer.from(JSON.stringify({ ...contacts, attachments: 1 })) };
    });
    index.add(messages);
    index.writer.transact(() => {
      index.writing.exec("update subject set fields = null, size = null");
    });
    const found = (term: string, part: "from" | "attachment" = "from"): readonly string[] =>
      search(index, { kind: "part", part, term }).found.map(({ id }) => id);
    const named = (name: string) =>
      messages
        .filter((_, at) => names[at] === name)
        .map(({ id }) => id)
        .toReversed();
    const check = (): void => {
      expect([found("name 7 <"), found("ame 13"), found("absent")]).toEqual([named("name 7"), named("name 13"), []]);
    };
    check();
    index.index();
    expect(index.segments().some(({ hasFields }) => hasFields)).toBe(false);
    check();
    for (let start = 0; start < messages.length; start += 20) {
      const some = messages.slice(start, start + 20).map(({ id }, at) => {
        const from = [`${names[start + at] ?? ""} <ann@x.test>`];
        return { id, fields: { from, attachment: [`file ${start + at}.pdf`] }, sizeBytes: 1 };
      });
      index.call("putFields", some);
      check();
      expect(found(`file ${start}.pdf`, "attachment")).toEqual([messages[start]?.id]);
      index.index(3);
      check();
    }
    index.index();
    expect(index.segments().every(({ hasFields }) => hasFields)).toBe(true);
    expect(index.segments().reduce((sum, { size }) => sum + size, 0)).toBe(60);
    check();
    expect(found("file 42.pdf", "attachment")).toEqual([messages[42]?.id]);
  });

  test("finds the parts of messages of an older version before and after their search fields are filled in", async () => {
    const index = await TestIndex.open();
    const messages = Array.from({ length: 6 }, () => {
      const summary = { from: [], to: [], cc: [], bcc: [], attachments: 1 };
      return { ...draft(index.server), summaryJson: Buffer.from(JSON.stringify(summary)) };
    });
    index.add(messages);
    const found = (part: "attachment" | "code"): readonly string[] =>
      search(index, { kind: "present", part }).found.map(({ id }) => id);
    const ids = messages.map(({ id }) => id).toReversed();
    index.writer.transact(() => {
      index.writing.exec("update subject set fields = null, size = null");
    });
    expect([found("attachment"), found("code")]).toEqual([ids, []]);
    // Outdated fields have no codes: their last character is another one, and a tenth part is missing.
    index.writer.transact(() => {
      index.writing.exec("update subject set fields = replace(hex(zeroblob(9)), '00', char(1))");
    });
    expect([found("attachment"), found("code")]).toEqual([[], []]);
    const [first, second] = messages;
    if (first === undefined || second === undefined) throw new Error("there are no messages");
    index.call("putFields", [
      { id: first.id, fields: { code: ["804219"] }, sizeBytes: 1 },
      { id: second.id, fields: { attachment: ["a.pdf"] }, sizeBytes: 1 },
    ]);
    expect([found("attachment"), found("code")]).toEqual([[second.id], [first.id]]);
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
      search(index, expression).found.map(({ id }) => messages.findIndex((one) => one.id === id));
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
    index.reading.function("fields_of_summary", counting);
    for (const [at, part] of parts.entries()) {
      const plan = index.reading
        .prepare(
          `explain query plan select id from ${rowsWithPart(part)} and epoch = 1 and id > x'00' order by id desc`,
        )
        .all();
      expect(plan.map(({ detail }) => detail)).toEqual([
        `SEARCH subject USING INDEX subject_with_${part} (epoch=? AND id>?)`,
      ]);
      expect(search(index, { kind: "present", part }).found.map(({ id }) => id)).toEqual([messages[at]?.id]);
    }
    expect(search(index, { kind: "not", of: { kind: "present", part: "code" } }).found).toHaveLength(50);
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
    expect(search(index, anyText("sender 17 <")).found.map(({ id }) => id)).toEqual([messages[17]?.id]);
    expect(search(index, anyText("zebracorn")).found).toEqual([]);
  });

  test("compares names and addresses of messages that an older version stored", async () => {
    const index = await TestIndex.open();
    const message = draft(index.server, { subject: "old", raw: "x".repeat(500) });
    const contacts = { from: [{ name: "Ann Ä", email: "ann@x.test", phone: null }], to: [], cc: [], bcc: [] };
    const summaryJson = Buffer.from(JSON.stringify({ ...contacts, attachments: 1 }));
    index.add([{ ...message, summaryJson }]);
    index.writer.transact(() => {
      index.writing.exec("update subject set fields = null, size = null");
    });
    const found = (expression: SearchExpression): number => search(index, expression).found.length;
    expect(found({ kind: "part", part: "from", term: "ann ä <ann@" })).toBe(1);
    expect(found({ kind: "part", part: "to", term: "ann" })).toBe(0);
    expect(found({ kind: "present", part: "attachment" })).toBe(1);
    expect(found({ kind: "size", comparison: "larger", bytes: 499 })).toBe(1);
    expect(found({ kind: "type", type: "SMS" })).toBe(0);
  });
});

function missingId(): never {
  throw new Error("there is no such message");
}
