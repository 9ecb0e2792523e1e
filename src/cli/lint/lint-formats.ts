/** Output formats of lint reports. */
import type { LintFinding, LintReport } from "../../core/lint.ts";
import { type JunitCase, printable, type SarifResult, toJunitXml, toSarifLog } from "../report-formats.ts";

/** Formats a report about a file; the text ends with a line feed. */
export type LintFormat = (report: LintReport, file: string) => string;

/** Formats by the values of `--format`. */
export const lintFormats: Readonly<Record<string, LintFormat>> = {
  text: (report, file) => {
    const { error, warning, info } = report.counts;
    const lines = report.findings.map((one) => `${file}: ${one.severity}: ${sentence(one)} [${one.rule}]`);
    lines.push(...profileLines(report, file));
    const counts = `${plural(error, "error")}${errorsOf(report)}, ${plural(warning, "warning")}, ${plural(info, "note")}`;
    return `${[...lines, `${file}: ${counts}`].map(printable).join("\n")}\n`;
  },
  json: (report, file) => `${JSON.stringify({ file, ...report }, null, 2)}\n`,
  junit: toJunit,
  sarif: toSarif,
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Returns the rules of the errors in brackets, so that the last line of a log says why the command failed. */
function errorsOf({ findings }: LintReport): string {
  const rules = new Set(findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule));
  return rules.size === 0 ? "" : ` (${[...rules].join(", ")})`;
}

function profileLines({ profile }: LintReport, file: string): readonly string[] {
  if (profile === undefined) return [];
  const { id, verdict, requirements } = profile;
  const lines = requirements.map(({ id: name, result, reason, meaning }) => {
    return `${file}: ${id}: ${name}: ${result.replace("_", " ")}${result === "pass" ? "" : `: ${reason ?? meaning}`}`;
  });
  return [...lines, `${file}: ${id}: verdict: ${verdict}`];
}

const levels: Readonly<Record<LintFinding["severity"], SarifResult["level"]>> = {
  error: "error",
  warning: "warning",
  info: "note",
};

function sentence({ message, subject }: LintFinding): string {
  return subject === null ? message : `${message}: ${subject}`;
}

/** Formats JUnit XML as CI systems read it: one test case for each rule with findings; only errors and warnings fail. */
function toJunit({ findings, profile }: LintReport, file: string): string {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const cases: JunitCase[] = Array.from(byRule, ([rule, found]) => ({
    className: "lint",
    name: rule,
    failures: found
      .filter(({ severity }) => severity !== "info")
      .map((one) => ({ type: one.severity, message: one.message, text: sentence(one) })),
    notes: found.filter(({ severity }) => severity === "info").map(sentence),
  }));
  for (const { id, result, reason, meaning } of profile?.requirements ?? []) {
    const message = reason ?? meaning;
    const failures = result === "fail" ? [{ type: "error", message, text: meaning }] : [];
    const skipped = result === "not_judged" ? message : null;
    cases.push({ className: profile?.id ?? "", name: id, failures, skipped });
  }
  return toJunitXml([{ name: file, cases }]);
}

/** Formats SARIF 2.1.0; findings refer to the whole file, because its lines are encoded. */
function toSarif({ findings }: LintReport, file: string): string {
  const results = findings.map((one) => {
    return { rule: one.rule, level: levels[one.severity], text: sentence(one), file, line: null };
  });
  return toSarifLog("restante lint", results);
}
