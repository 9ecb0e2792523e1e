/** Lint reports for people and for machines. */
import { readVersion } from "../app/version.ts";
import type { LintFinding, LintReport } from "../core/lint.ts";

/** Writes a report about a file; the text ends in a line feed. */
export type LintFormat = (report: LintReport, file: string) => string;

/** The formats by the names that `--format` takes. */
export const lintFormats: Readonly<Record<string, LintFormat>> = {
  text: (report, file) => {
    const { error, warning, info } = report.counts;
    const lines = report.findings.map((one) => `${file}: ${one.severity}: ${sentence(one)} [${one.rule}]`);
    return `${[...lines, `${file}: ${error} errors, ${warning} warnings, ${info} notes`].map(printable).join("\n")}\n`;
  },
  json: (report, file) => `${JSON.stringify({ file, ...report }, null, 2)}\n`,
  junit: toJunit,
  sarif: toSarif,
};

const levels: Readonly<Record<LintFinding["severity"], string>> = { error: "error", warning: "warning", info: "note" };

function sentence({ message, subject }: LintFinding): string {
  return subject === null ? message : `${message}: ${subject}`;
}

/** The JUnit dialect that CI systems read: one case a rule that has something to say; only errors and warnings fail. */
function toJunit({ findings }: LintReport, file: string): string {
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

/** SARIF 2.1.0; findings are about the file as a whole, for its lines are encoded. */
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

/** Characters that XML 1.0 does not have, and those that a terminal obeys, become question marks. */
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
