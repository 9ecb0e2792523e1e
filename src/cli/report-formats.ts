/** Report formats that CI systems read. */
import { readVersion } from "../app/version.ts";

/** Test case of JUnit XML. */
export interface JunitCase {
  readonly className: string;
  readonly name: string;
  readonly failures: readonly { readonly type: string; readonly message: string; readonly text: string }[];
  /** Notes that fail nothing. */
  readonly notes?: readonly string[];
  /** Reason why the case was not run; null when it was. */
  readonly skipped?: string | null;
}

/** Returns JUnit XML with a suite for each name. */
export function toJunitXml(suites: readonly { readonly name: string; readonly cases: readonly JunitCase[] }[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...suites.flatMap(({ name, cases }) => {
      const failed = cases.filter(({ failures }) => failures.length > 0).length;
      return [
        `  <testsuite name="${xml(name)}" tests="${String(cases.length)}" failures="${String(failed)}">`,
        ...cases.map((one) => `    ${junitCase(one)}`),
        "  </testsuite>",
      ];
    }),
    "</testsuites>",
    "",
  ].join("\n");
}

function junitCase({ className, name, failures, notes = [], skipped = null }: JunitCase): string {
  const failed = failures.map(
    ({ type, message, text }) =>
      `<failure type="${xml(type)}" message="${xml(message)}">${text.split("\n").map(xml).join("\n")}</failure>`,
  );
  const output = notes.length === 0 ? "" : `<system-out>${notes.map(xml).join("\n")}</system-out>`;
  const reason = skipped === null ? "" : `<skipped message="${xml(skipped)}"/>`;
  return `<testcase classname="${xml(className)}" name="${xml(name)}">${failed.join("")}${reason}${output}</testcase>`;
}

/** Result of SARIF. */
export interface SarifResult {
  readonly rule: string;
  readonly level: "error" | "warning" | "note";
  readonly text: string;
  /** Path of the file, relative to the root of the repository. */
  readonly file: string;
  /** From 1; null for the whole file. */
  readonly line: number | null;
}

/** Returns SARIF 2.1.0. */
export function toSarifLog(tool: string, found: readonly SarifResult[]): string {
  const rules = Array.from(new Set(found.map(({ rule }) => rule)), (id) => ({ id }));
  const results = found.map(({ rule, level, text, file, line }) => ({
    ruleId: rule,
    level,
    message: { text },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(file) },
          ...(line !== null && { region: { startLine: line } }),
        },
      },
    ],
  }));
  const driver = { name: tool, version: readVersion(), rules };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** Replaces characters that XML 1.0 does not allow, and terminal control characters, by question marks. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\ufffe\uffff]/gu, "?");
}

function xml(text: string): string {
  return printable(text.replaceAll(/\s/g, " "))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
