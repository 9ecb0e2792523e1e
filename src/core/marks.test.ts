import fc from "fast-check";
import { expect, test } from "vitest";
import { markTagCountMax, markTagLengthMax } from "./limits.ts";
import { changeMarks, flagBits, flagsOfBits, messageFlags, noMarks, readTag, sameMarks, type Marks } from "./marks.ts";

const flags = fc.subarray([...messageFlags]);
const tags = fc.array(fc.constantFrom("a", "A", "b", "Über uns", "über uns"), { maxLength: 4 });

test("keeps flags as bits", () => {
  fc.assert(
    fc.property(flags, (given) => {
      expect(flagsOfBits(flagBits(given))).toEqual(given);
    }),
  );
});

test("removes first, then adds; keeps the first spelling of a tag", () => {
  const marks: Marks = { flags: ["seen"], tags: ["Invoice", "old"] };
  const change = {
    addFlags: ["flagged"],
    removeFlags: ["seen"],
    addTags: ["invoice", "new"],
    removeTags: ["OLD"],
  } as const;
  expect(changeMarks(marks, change)).toEqual({ flags: ["flagged"], tags: ["Invoice", "new"] });
  expect(changeMarks(marks, { removeTags: "all", addTags: ["invoice"] }).tags).toEqual(["invoice"]);
});

test("is repeatable, and leaves no two tags that differ in case only", () => {
  const change = fc.record({
    addFlags: flags,
    removeFlags: flags,
    addTags: tags,
    removeTags: fc.oneof(tags, fc.constant("all" as const)),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
      const marks = changes.reduce<Marks>((before, one) => changeMarks(before, one), noMarks);
      expect(new Set(marks.tags.map((tag) => tag.toLowerCase())).size).toBe(marks.tags.length);
      const last = changes.at(-1);
      if (last !== undefined && last.removeTags !== "all")
        expect(sameMarks(changeMarks(marks, last), marks)).toBe(true);
    }),
  );
});

test("rejects more tags than a message may have", () => {
  const many = Array.from({ length: markTagCountMax + 1 }, (_, index) => `${index}`);
  expect(() => changeMarks(noMarks, { addTags: many })).toThrow(expect.objectContaining({ code: "limit_reached" }));
  expect(changeMarks(noMarks, { addTags: many.slice(1) }).tags).toHaveLength(markTagCountMax);
});

test.each([
  ["  two  words ", "two words"],
  ["x".repeat(markTagLengthMax), "x".repeat(markTagLengthMax)],
  ["x".repeat(markTagLengthMax + 1), undefined],
  ["", undefined],
  ["a,b", undefined],
  ["a\nb", undefined],
  ["\ud800", undefined],
])("reads the tag %j as %j", (text, tag) => {
  expect(readTag(text)).toBe(tag);
});
