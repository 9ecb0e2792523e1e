import { describe, expect, test } from "vitest";
import { Narrowing } from "./narrowing.ts";
import type { TextCriterion } from "./narrowing.ts";
import type { SegmentPages } from "./segment-pages.ts";
import { buildSegment, texts } from "./segment.test-aid.ts";

const segment = buildSegment([
  texts("welcome ann", "your order is here"),
  texts("welcome bob", "your parcel is here"),
  texts("goodbye ann", "your parcel is lost"),
]);

function narrow(criteria: readonly TextCriterion[], match: "ALL" | "ANY"): number[] | undefined {
  return Narrowing.of(criteria, match)?.candidates(segment, []).members();
}

const subject = (term: string): TextCriterion => ({ field: "subject", term });
const body = (term: string): TextCriterion => ({ field: "body", term });

describe("narrowing", () => {
  test("with ALL leaves what may meet every criterion, with ANY what may meet one", () => {
    expect(narrow([subject("welcome"), body("parcel")], "ALL")).toEqual([1]);
    expect(narrow([subject("welcome"), body("parcel")], "ANY")).toEqual([0, 1, 2]);
    expect(narrow([subject("goodbye"), body("order")], "ANY")).toEqual([0, 2]);
    expect(narrow([subject("absent"), body("parcel")], "ALL")).toEqual([]);
  });

  test("cannot be where no criterion holds a gram, and with ANY where one does not", () => {
    expect(narrow([subject("")], "ALL")).toBeUndefined();
    expect(narrow([], "ALL")).toBeUndefined();
    expect(narrow([], "ANY")).toBeUndefined();
    expect(narrow([subject(""), body("order")], "ANY")).toBeUndefined();
    expect(narrow([subject(""), body("order")], "ALL")).toEqual([0]);
  });

  test("always leaves what is not indexed", () => {
    const narrowing = Narrowing.of([body("absent")], "ALL");
    expect(narrowing?.candidates(segment, [2]).members()).toEqual([2]);
  });

  test("asks first, in later segments, for what left nothing over in the one before", () => {
    let readCount = 0;
    const counting: SegmentPages = {
      size: segment.size,
      readKeyPages: (first, last) => {
        readCount += 1;
        return segment.readKeyPages(first, last);
      },
      readSetPage: (number) => segment.readSetPage(number),
    };
    const narrowing = Narrowing.of([body("your parcel is hidden")], "ALL");
    expect(narrowing?.candidates(counting, []).members()).toEqual([]);
    expect(readCount).toBeGreaterThan(1);
    readCount = 0;
    expect(narrowing?.candidates(counting, []).members()).toEqual([]);
    expect(readCount).toBe(1);
  });

  test("stops asking where looking at the few that are left is cheaper", () => {
    let readCount = 0;
    const counting: SegmentPages = {
      size: segment.size,
      readKeyPages: (first, last) => {
        readCount += 1;
        return segment.readKeyPages(first, last);
      },
      readSetPage: (number) => segment.readSetPage(number),
    };
    const narrowing = Narrowing.of([body("your order is here")], "ALL");
    expect(narrowing?.candidates(counting, []).members()).toEqual([0]);
    expect(readCount).toBeLessThan("your order is here".length - 5);
  });
});
