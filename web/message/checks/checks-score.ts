/**
 * Score of an email in the Checks tab: which groups of checks it passes. The guide describes the rule
 * (docs/guide/check-mail.md); it adds nothing to the results of the lint report, the deliverability report and the spam filter.
 */
import type { Deliverability, LintReport, Verdict } from "../../wire.ts";

/** Groups of checks, in the order in which they are shown. */
export const checkGroups = [
  "content",
  "accessibility",
  "links",
  "compatibility",
  "authentication",
  "blockLists",
  "spam",
] as const;

/** A group of checks. */
export type CheckGroup = (typeof checkGroups)[number];

/** Result of a group; `unknown` when it could not be checked. */
export type GroupState = "passed" | "problems" | "unknown";

/** States of the groups whose report is known. */
export type GroupStates = ReadonlyMap<CheckGroup, GroupState>;

/** Findings of the lint report in a group. */
export type LintFinding = LintReport["findings"][number];

/** Groups of lint findings, by the category of their rule. */
const groupOfCategory: Readonly<Record<LintFinding["category"], CheckGroup>> = {
  headers: "content",
  structure: "content",
  accessibility: "accessibility",
  links: "links",
  compatibility: "compatibility",
};

/** Groups that the lint report decides. */
export const lintGroups = ["content", "accessibility", "links", "compatibility"] as const;

/** Returns the findings of a group. */
export function findingsOf(report: LintReport, group: CheckGroup): readonly LintFinding[] {
  return report.findings.filter(({ category }) => groupOfCategory[category] === group);
}

/** Returns the state of each group; groups whose report is missing are left out. */
export function judgeGroups(lint: LintReport | undefined, delivery: Deliverability | undefined): GroupStates {
  const states = new Map<CheckGroup, GroupState>();
  if (lint !== undefined) {
    for (const group of lintGroups) {
      const isFine = findingsOf(lint, group).every(({ severity }) => severity === "info");
      states.set(group, isFine ? "passed" : "problems");
    }
  }
  if (delivery !== undefined) {
    const { spf, dkim, dmarc, arc, blockLists, spamAssassin, dns } = delivery;
    // BIMI is not counted: mail does without it.
    const senders = [spf, ...dkim, dmarc, arc].map(({ result }) => result);
    states.set("authentication", isSenderJudged(delivery) ? stateOf(senders) : "unknown");
    states.set("blockLists", dns === "off" ? "unknown" : stateOf(blockLists.map(({ result }) => result)));
    states.set("spam", stateOf([spamAssassin.result]));
  }
  return states;
}

/**
 * Whether the results about the sender count: the server has a DNS zone, or a setting names resolvers. By the resolver of the
 * machine alone, an application in development fails SPF and DMARC, since it sends from another address than its domain does.
 */
export function isSenderJudged({ dns }: Pick<Deliverability, "dns">): boolean {
  return dns === "fixtures" || dns === "servers";
}

/** Returns how many groups passed, and how many could be checked. */
export function scoreOf(states: GroupStates): { readonly passed: number; readonly judged: number } {
  const all = [...states.values()];
  return {
    passed: all.filter((state) => state === "passed").length,
    judged: all.filter((state) => state !== "unknown").length,
  };
}

/** A check that failed decides over those that had no answer. */
function stateOf(results: readonly Verdict["result"][]): GroupState {
  if (results.some((result) => result === "Fail" || result === "Warning")) return "problems";
  return results.includes("Timeout") ? "unknown" : "passed";
}
