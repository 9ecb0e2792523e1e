import { expect, test } from "vitest";
import { markedTermsOf } from "../navigation/query-text.ts";
import { allReceived } from "../navigation/mail-query.ts";
import { termsIn } from "../shared/use-highlights.ts";

test("marks words in all fields of a row, and the value of an operator in those that it searches", () => {
  const criteria = { sentTo: "sara", tag: "gold" };
  const terms = markedTermsOf({
    ...allReceived,
    q: "due from:ann addressed:bo reply-to:cy filename:inv code:804",
    criteria,
  });
  const fields = ["from", "to", "subject", "body", "tag", "code", "file"];
  expect(Object.fromEntries(fields.map((field) => [field, termsIn(field, terms)]))).toEqual({
    from: ["due", "ann", "bo"],
    to: ["due", "bo", "sara"],
    subject: ["due"],
    body: ["due"],
    tag: ["due", "gold"],
    code: ["due", "804"],
    file: ["due", "inv"],
  });
});
