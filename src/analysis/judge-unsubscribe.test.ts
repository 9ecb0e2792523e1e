import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { judgeUnsubscribeResponse } from "./judge-unsubscribe.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

const response = { status: 200, contentType: "text/html; charset=utf-8", body: "", durationMs: 20 };
const resultsOf = (changes: Partial<typeof response>): readonly string[] =>
  judgeUnsubscribeResponse({ ...response, ...changes }).map(({ result }) => result);

describe("judgeUnsubscribeResponse", () => {
  test.each([
    ["no content", { status: 204, contentType: "" }, ["pass", "pass", "pass"]],
    ["plain text", { contentType: "text/plain", body: "<form>" }, ["pass", "pass", "pass"]],
    ["JSON", { contentType: "application/json", body: "{}" }, ["pass", "pass", "pass"]],
    ["a page", { body: "<p>Goodbye</p>" }, ["pass", "pass", "pass"]],
    [
      "a page that reports success and offers to subscribe again",
      { body: "<p>You have been unsubscribed.</p><form method=post><button>Undo</button></form>" },
      ["pass", "pass", "pass"],
    ],
    ["a form", { body: "<form method=post><input type=submit></form>" }, ["pass", "fail", "pass"]],
    ["a button", { contentType: "", body: "<!doctype html><BUTTON>Confirm</BUTTON>" }, ["pass", "fail", "pass"]],
    ["a login", { body: "<p>You were unsubscribed</p><input type=PASSWORD>" }, ["pass", "fail", "pass"]],
    ["a page that refreshes", { body: '<meta http-equiv=Refresh content="0;url=/x">' }, ["pass", "fail", "pass"]],
    ["a redirect", { status: 302 }, ["fail", "skipped", "pass"]],
    ["an error", { status: 500 }, ["fail", "skipped", "pass"]],
    ["405", { status: 405 }, ["fail", "skipped", "pass"]],
    ["5000 ms", { durationMs: 5000 }, ["pass", "pass", "pass"]],
    ["5001 ms", { durationMs: 5001 }, ["pass", "pass", "fail"]],
  ])("judges %s", (_, changes, expected) => {
    expect(resultsOf(changes)).toEqual(expected);
  });

  test("never throws, and takes time linear in the body", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (body) => {
        expect(resultsOf({ body })).toHaveLength(3);
      }),
    );
    for (const unit of ["<form ", "have been ", "successfully been now "]) {
      expectLinearCpu((size) => void judgeUnsubscribeResponse({ ...response, body: unit.repeat(size / 8) }), 4000);
    }
  });
});
