import { expect, test } from "vitest";
import { isVerdictTag, tagsOfVerdicts } from "./smtp-session.ts";

test("verdicts are tags that senders cannot give, whatever their letter case", () => {
  const tags = tagsOfVerdicts({ spf: "pass", dkim: "neutral", dmarc: "unknown" });
  expect(tags).toEqual(["spf-pass", "dkim-neutral", "dmarc-unknown"]);
  expect([...tags, "SPF-Fail", "dmarc-PASS"].every(isVerdictTag)).toBe(true);
  expect(["spf", "spf-passed", "my-spf-pass", "spf_pass", "arc-pass", ""].some(isVerdictTag)).toBe(false);
});
