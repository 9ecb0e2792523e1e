import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import { anyText } from "../../core/search/build-expression.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart, type SearchPart } from "../../core/search/search-fields.ts";
import { draft, page } from "./drafts.ts";
import { makeServer, useStore, type OpenStore } from "./setup.ts";

/** Search fields of messages. */
export function describeSearchFields(open: OpenStore): void {
  const store = useStore(open);

  /** Resolves when the index has caught up, as far as the store has one for few messages. */
  const indexed = async (): Promise<void> => {
    for (let looked = 0; looked < 200 && (await store().statistics()).indexBacklogCount > 0; looked += 1) {
      await setTimeout(5);
    }
  };

  test("finds any part of names, addresses and file names, at once, when they are indexed, and after deletions", async () => {
    const server = await makeServer(store());
    const special = {
      from: [foldPart("Zoë MÜLLER <Zoe.Mueller+Tag@Mail-7.example.org>")],
      to: [foldPart("確認 太郎 <kakunin@例え.test>"), "u4711@abcd1234.restante.test"],
      attachment: [foldPart("Rechnung_2026(1).PDF")],
    };
    const drafts = Array.from({ length: 60 }, (_, at) =>
      draft(server, {
        subject: "hello",
        body: "text",
        fields: at % 20 === 7 ? special : { from: [`shop ${at} <news@shop.test>`], to: [`to${at}@x.test`] },
      }),
    );
    await store().addMessages(drafts);
    const found = async (part: SearchPart | "any", term: string): Promise<readonly MessageId[]> =>
      (await store().findMessages(server, { kind: "part", part, term: foldPart(term) }, page())).identities.map(
        ({ id }) => id,
      );
    const check = async (expected: readonly MessageId[]): Promise<void> => {
      const terms = [
        "zoë mül",
        "ELLER+T",
        "@mail-7.",
        "ë",
        "z",
        "zo",
        "+",
        "確",
        "認 太",
        "例え",
        "u4711@",
        "_2026(1)",
        "7.EX",
      ];
      const absent = ["q", "qx", "zoë  müllerin", "確例", "%", "zo_", "u4712", "absent from all", "x".repeat(5000)];
      const results = await Promise.all(terms.map(async (term) => [term, await found("any", term)]));
      expect(results).toEqual(terms.map((term) => [term, expected]));
      expect(await Promise.all(absent.map(async (term) => await found("any", term)))).toEqual(absent.map(() => []));
      expect([await found("from", "zoe.mueller"), await found("attachment", ".pdf")]).toEqual([expected, expected]);
      expect([await found("to", "zoe.mueller"), await found("attachment", "u4711")]).toEqual([[], []]);
      expect(await found("any", "news@shop")).toHaveLength(50);
    };
    const expected = drafts
      .filter((_, at) => at % 20 === 7)
      .map(({ id }) => id)
      .toReversed();
    await check(expected);
    await indexed();
    await check(expected);
    const [newest, ...others] = expected;
    if (newest === undefined) throw new Error("nothing is expected");
    await store().deleteMessage(newest);
    await check(others);
    await store().addMessages([draft(server, { fields: special })]);
    await indexed();
    const [last] = await found("any", "zoe.mueller");
    expect(others).not.toContain(last);
    await check(last === undefined ? others : [last, ...others]);
  });

  test("finds words in one field or another, with tags and exclusions, when they are indexed", async () => {
    const server = await makeServer(store());
    const drafts = Array.from({ length: 40 }, (_, at) =>
      draft(server, {
        subject: at % 8 === 0 ? "kiwi" : "plain",
        body: at % 8 === 1 ? "a kiwi here" : "plain",
        fields: { from: [at % 8 === 2 ? "kiwi@x.test" : "ann@x.test"], to: [`to${at}@x.test`] },
        ...(at % 8 === 3 && { marks: { flags: [], tags: ["Kiwi"] } }),
      }),
    );
    await store().addMessages(drafts);
    const find = async (expression: SearchExpression): Promise<readonly number[]> => {
      const { identities } = await store().findMessages(server, expression, page());
      return identities.map(({ id }) => drafts.findIndex((one) => one.id === id)).toReversed();
    };
    const places = (isExpected: (at: number) => boolean) => [...drafts.keys()].filter(isExpected);
    const kiwi = anyText("Kiwi");
    const to1: SearchExpression = { kind: "part", part: "to", term: "to1" };
    for (let round = 0; round < 2; round += 1) {
      expect(await find(kiwi)).toEqual(places((at) => at % 8 < 4));
      expect(await find(and(kiwi, anyText("ann@x")))).toEqual(places((at) => at % 8 < 4 && at % 8 !== 2));
      expect(await find(and(kiwi, not({ kind: "text", field: "body", term: "kiwi" })))).toEqual(
        places((at) => [0, 2, 3].includes(at % 8)),
      );
      expect(await find(and(kiwi, to1))).toEqual(places((at) => at % 8 < 4 && `to${at}`.startsWith("to1")));
      expect(await find(or(kiwi, { kind: "part", part: "to", term: "to39@" }))).toEqual(
        places((at) => at % 8 < 4 || at === 39),
      );
      expect(await find(anyText("absent"))).toEqual([]);
      await indexed();
    }
  });

  test("finds and counts the few messages that meet a condition, on all pages, with words, and after changes", async () => {
    const server = await makeServer(store());
    const drafts = Array.from({ length: 60 }, (_, at) =>
      draft(server, {
        subject: at % 2 === 0 ? "even" : "odd",
        fields: {
          from: ["ann@x.test"],
          ...(at % 20 === 3 && { code: ["804219"] }),
          ...(at % 30 === 4 && { attachment: [""] }),
          ...(at % 30 === 5 && { inline: ["logo.png"], tag: ["news"] }),
        },
        ...(at % 20 === 6 && {
          marks: { flags: at === 26 ? ["flagged" as const, "seen" as const] : ["flagged" as const], tags: [] },
        }),
      }),
    );
    await store().addMessages(drafts);
    const find = async (expression: SearchExpression, within = {}): Promise<readonly number[]> => {
      const { identities } = await store().findMessages(server, expression, page(within));
      return identities.map(({ id }) => drafts.findIndex((one) => one.id === id));
    };
    const count = async (expression: SearchExpression, itemsPerPage = 10_000) => {
      const { count: found, hasMore } = await store().findMessages(server, expression, {
        ...page({ itemsPerPage }),
        countOnly: true,
      });
      return [found, hasMore];
    };
    const has = (part: "attachment" | "inline" | "code"): SearchExpression => ({ kind: "present", part });
    const flag = (name: "flagged" | "seen" | "draft"): SearchExpression => ({ kind: "flag", flag: name });
    const subject = (term: string): SearchExpression => ({ kind: "text", field: "subject", term });
    const cases: readonly (readonly [SearchExpression, readonly number[]])[] = [
      [has("code"), [43, 23, 3]],
      [has("attachment"), [34, 4]],
      [has("inline"), [35, 5]],
      [flag("flagged"), [46, 26, 6]],
      [flag("seen"), [26]],
      [flag("draft"), []],
      [and(flag("seen"), flag("flagged")), [26]],
      [and(has("code"), subject("odd")), [43, 23, 3]],
      [and(has("code"), subject("even")), []],
      [and(has("attachment"), anyText("ann@")), [34, 4]],
      [and(has("code"), not(flag("seen"))), [43, 23, 3]],
      [and(has("code"), has("attachment")), []],
      [and(flag("flagged"), not(has("code")), not(flag("seen"))), [46, 6]],
      [or(has("code"), has("inline")), [43, 35, 23, 5, 3]],
    ];
    for (let round = 0; round < 2; round += 1) {
      const found = await Promise.all(cases.map(async ([expression]) => [expression, await find(expression)]));
      expect(found).toEqual(cases);
      const counts = await Promise.all(cases.map(async ([expression]) => await count(expression)));
      expect(counts).toEqual(cases.map(([, expected]) => [expected.length, false]));
      await indexed();
    }
    expect(await find(has("code"), { itemsPerPage: 2, page: 1 })).toEqual([3]);
    expect(await count(has("code"), 2)).toEqual([2, true]);
    expect(await count(not(has("code")))).toEqual([57, false]);
    const ids = drafts.map(({ id }) => id);
    const [, , , third] = ids;
    const [marked = third] = [ids[26]];
    if (third === undefined || marked === undefined) throw new Error("there are no messages");
    await store().deleteMessage(third);
    await store().marks.changeMarks(server, [marked], { removeFlags: ["flagged"] });
    expect([await find(has("code")), await find(flag("flagged")), await find(flag("seen"))]).toEqual([
      [43, 23],
      [46, 6],
      [26],
    ]);
  });
}
