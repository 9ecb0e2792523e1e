import { describe, expect, test } from "vitest";
import type { Deliverability, LintReport, Verdict } from "../../wire.ts";
import { judgeGroups, scoreOf } from "./checks-score.ts";

const verdict = (result: Verdict["result"]): Verdict => ({ result, description: "", rawValue: "", tags: {} });

function lint(...findings: readonly (readonly [category: string, severity: string])[]): LintReport {
  const all = findings.map(([category, severity]) => ({ rule: "x", severity, category, message: "", subject: null }));
  return { findings: all, counts: { error: 0, warning: 0, info: 0 }, rules: [] } as unknown as LintReport;
}

function delivery(change: Partial<Deliverability> = {}): Deliverability {
  const pass = verdict("Pass");
  const spamAssassin = { score: 0, result: "Pass", rules: [], engine: "restante", engineProblem: null };
  const sender = { spf: pass, dkim: [pass], dmarc: pass, arc: pass, bimi: pass };
  return { ...sender, blockLists: [], dns: "fixtures", spamAssassin, ...change } as unknown as Deliverability;
}

const stateOf = (group: string, report: Deliverability) =>
  new Map<string, string>(judgeGroups(undefined, report)).get(group);

test("counts the groups that passed among those that were checked", () => {
  expect(scoreOf(judgeGroups(lint(), delivery()))).toEqual({ passed: 7, judged: 7 });
  expect(scoreOf(judgeGroups(lint(["links", "error"]), delivery({ dns: "off" })))).toEqual({ passed: 4, judged: 5 });
  expect(scoreOf(judgeGroups(lint(), undefined))).toEqual({ passed: 4, judged: 4 });
  expect(scoreOf(judgeGroups(undefined, undefined))).toEqual({ passed: 0, judged: 0 });
});

describe("a group of lint findings", () => {
  test.each([
    ["headers", "error", "content", "problems"],
    ["structure", "warning", "content", "problems"],
    ["structure", "info", "content", "passed"],
    ["accessibility", "warning", "accessibility", "problems"],
    ["links", "info", "links", "passed"],
    ["compatibility", "warning", "compatibility", "problems"],
  ])("scores a finding of %s that is an %s: %s has %s", (...row) => {
    const [category, severity, group, state] = row;
    expect(new Map<string, string>(judgeGroups(lint([category, severity]), undefined)).get(group)).toBe(state);
  });
});

describe("authentication", () => {
  test.each([
    ["passes when SPF, DKIM, DMARC and ARC pass, whatever BIMI does", { bimi: verdict("Fail") }, "passed"],
    ["has problems when one DKIM signature fails", { dkim: [verdict("Pass"), verdict("Fail")] }, "problems"],
    ["has problems when a check has a warning", { dmarc: verdict("Warning") }, "problems"],
    ["is not checked when an answer is missing", { spf: verdict("Timeout") }, "unknown"],
    [
      "has problems when one failed and another has no answer",
      { spf: verdict("Timeout"), arc: verdict("Fail") },
      "problems",
    ],
    ["counts by the resolvers of a setting", { dns: "servers", dmarc: verdict("Fail") }, "problems"],
    ["is not judged by the resolver of the machine", { dns: "system", spf: verdict("Fail") }, "unknown"],
    ["is not checked without DNS", { dns: "off", dkim: [verdict("Warning")] }, "unknown"],
  ] as const)("%s", (_title, change, state) => {
    expect(stateOf("authentication", delivery(change))).toBe(state);
  });
});

test("blocklists pass when no list has the sender, and spam as the filter says", () => {
  const list = (result: Verdict["result"]) => delivery({ blockLists: [{ id: "a", name: "A", result }] });
  expect(stateOf("blockLists", list("Pass"))).toBe("passed");
  expect(stateOf("blockLists", list("Fail"))).toBe("problems");
  const spam = (result: Verdict["result"]) => {
    const { spamAssassin } = delivery();
    return delivery({ spamAssassin: { ...spamAssassin, result } });
  };
  expect(stateOf("spam", spam("Pass"))).toBe("passed");
  expect(stateOf("spam", spam("Warning"))).toBe("problems");
});
