/** The check of the licences and the vulnerabilities of dependencies, which `npm test` runs as `check:dependencies`. */
import { expect, test } from "vitest";
import { auditProblems, licenceProblems } from "../../scripts/check-dependencies.ts";

test.each([
  ["MIT", 0],
  ["(MIT OR GPL-3.0)", 0],
  ["(MIT AND GPL-3.0)", 1],
  ["GPL-3.0", 1],
  [null, 1],
])("finds %s: %i", (licence, count) => {
  expect(licenceProblems([{ name: "a", licence }])).toHaveLength(count);
  expect(licenceProblems([{ name: "a", licence }], { a: "a reason" })).toEqual([]);
});

const advisory = (severity: string) => ({ url: "https://github.com/advisories/GHSA-1", title: "Bad", severity });
const reportOf = (severity: string) => ({ vulnerabilities: { a: { via: [advisory(severity), "b"] } } });

test("finds vulnerabilities from moderate on, and those whose acceptance has ended", () => {
  const accepted = { [advisory("").url]: { until: "2026-12-01", reason: "not reachable" } };
  expect(auditProblems(reportOf("low"), "2026-11-27")).toEqual([]);
  expect(auditProblems(reportOf("moderate"), "2026-11-27")).toHaveLength(1);
  expect(auditProblems(reportOf("high"), "2026-12-01", accepted)).toEqual([]);
  expect(auditProblems(reportOf("high"), "2026-12-02", accepted)?.[0]).toContain("not reachable");
});

test("tells when the registry serves no advisories", () => {
  expect(auditProblems({ message: "405 Method Not Allowed" }, "2026-11-27")).toBeNull();
});
