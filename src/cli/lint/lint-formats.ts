/** Output formats of lint reports. */
import { readVersion } from "../../app/version.ts";
import type { LintFinding, LintReport } from "../../core/lint.ts";

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

const levels: Readonly<Record<LintFinding["severity"], string>> = { error: "error", warning: "warning", info: "note" };

function sentence({ message, subject }: LintFinding): string {
  return subject === null ? message : `${message}: ${subject}`;
}

/** Formats JUnit XML as CI systems read it: one test case for each rule with findings; only errors and warnings fail. */
function toJunit({ findings, profile }: LintReport, file: string): string {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const cases = Array.from(byRule, ([rule, found]) => {
    const failures = found
      .filter(({ severity }) => severity !== "info")
      .map((one) => `<failure type="${one.severity}" message="${xml(one.message)}">${xml(sentence(one))}</failure>`);
    const notes = found.filter(({ severity }) => severity === "info").map((one) => xml(sentence(one)));
    const output = notes.length === 0 ? "" : `<system-out>${notes.join("\n")}</system-out>`;
    return {
      fails: failures.length > 0,
      text: `    <testcase classname="lint" name="${xml(rule)}">${failures.join("")}${output}</testcase>`,
    };
  });
  for (const { id, result, reason, meaning } of profile?.requirements ?? []) {
    const failure = `<failure type="error" message="${xml(reason ?? meaning)}">${xml(meaning)}</failure>`;
    const outcome = { pass: "", fail: failure, not_judged: `<skipped message="${xml(reason ?? meaning)}"/>` }[result];
    const name = `classname="${xml(profile?.id ?? "")}" name="${xml(id)}"`;
    cases.push({ fails: result === "fail", text: `    <testcase ${name}>${outcome}</testcase>` });
  }
  const failed = cases.filter(({ fails }) => fails).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites>`,
    `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${failed}">`,
    ...cases.map(({ text }) => text),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** Formats SARIF 2.1.0; findings refer to the whole file, because its lines are encoded. */
function toSarif({ findings }: LintReport, file: string): string {
  const rules = Array.from(new Set(findings.map(({ rule }) => rule)), (id) => ({ id }));
  const results = findings.map((one) => ({
    ruleId: one.rule,
    level: levels[one.severity],
    message: { text: sentence(one) },
    locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(file) } } }],
  }));
  const driver = { name: "restante lint", version: readVersion(), rules };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** Replaces characters that XML 1.0 does not allow, and terminal control characters, by question marks. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\ufffe\uffff]/gu, "?");
}

function xml(text: string): string {
  return printable(text.replaceAll(/\s/g, " "))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
