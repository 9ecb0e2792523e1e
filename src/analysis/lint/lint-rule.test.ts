import { expect, test } from "vitest";
import { lintRules } from "./lint-mail.ts";
import { requirementOf } from "./lint-rule.ts";

test.each([
  [
    "There is exactly one From field (RFC 5322 §3.6.2).",
    "headers",
    "https://www.rfc-editor.org/rfc/rfc5322#section-3.6.2",
  ],
  ["Mail to many people has List-Unsubscribe (RFC 2369).", "headers", "https://www.rfc-editor.org/rfc/rfc2369"],
  ["Every image is described (WCAG 2.2 1.1.1).", "accessibility", "https://www.w3.org/TR/WCAG22/"],
  ["Links use `https`.", "links", null],
  ["All email clients support it.", "compatibility", "https://www.caniemail.com/"],
] as const)("explains %j of %s by %s", (meaning, category, url) => {
  expect(requirementOf({ id: "x", meaning, category })).toEqual({ rule: "x", meaning, url });
});

test("explains each rule of accessibility or headers that names a standard", () => {
  const unexplained = lintRules.filter((rule) => / §|WCAG/.test(rule.meaning) && requirementOf(rule).url === null);
  expect(unexplained.map(({ id }) => id)).toEqual([]);
});
