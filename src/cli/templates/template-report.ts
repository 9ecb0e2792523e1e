/** Reports of `restante test`. */
import { type JunitCase, printable, toJunitXml, toSarifLog } from "../report-formats.ts";

/** Assertions about templates, in the order of the report. */
export const assertions = ["render", "image", "snapshot", "budget", "screenshot", "localisation"] as const;

/** Assertion about a template. */
export type Assertion = (typeof assertions)[number];

/** Failure of an assertion. */
export interface TemplateFailure {
  readonly assertion: Assertion;
  /** Name of the rule: of a budget its member, otherwise that of the assertion. */
  readonly rule: string;
  /** One sentence. */
  readonly message: string;
  /** Further lines; "" for none. */
  readonly detail: string;
  /** Path of the file for people. */
  readonly file: string;
  /** From 1; null for the whole file. */
  readonly line: number | null;
}

/** Result of a case. */
export interface TemplateResult {
  readonly id: string;
  /** Path of the template for people. */
  readonly file: string;
  readonly failures: readonly TemplateFailure[];
  /** Files that were written, and other notes. */
  readonly notes: readonly string[];
}

/** Results of a run. */
export interface TemplateRun {
  readonly results: readonly TemplateResult[];
  /** Notes about the run, such as obsolete snapshots. */
  readonly notes: readonly string[];
}

/** Returns the report for people. */
export function toText({ results, notes }: TemplateRun): string {
  const lines = results.flatMap(({ id, failures, notes: own }) => [
    `${failures.length === 0 ? "✓" : "✗"} ${id}`,
    ...failures.flatMap(({ assertion, message, detail, file, line }) => [
      `    ${assertion}: ${message} (${file}${line === null ? "" : `:${String(line)}`})`,
      ...indented(detail, "      "),
    ]),
    ...own.map((note) => `    ${note}`),
  ]);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const total = `${String(results.length - failed)} passed, ${String(failed)} failed`;
  return `${[...lines, ...notes, total].map((line) => printable(line)).join("\n")}\n`;
}

function indented(text: string, indent: string): readonly string[] {
  return text === "" ? [] : text.split("\n").map((line) => `${indent}${line}`);
}

/** Returns JUnit XML: a suite for each case, with a test case for each assertion. */
export function toJunit({ results }: TemplateRun): string {
  return toJunitXml(
    results.map(({ id, failures, notes }) => {
      const cases: JunitCase[] = assertions.map((assertion) => ({
        className: id,
        name: assertion,
        failures: failures
          .filter((one) => one.assertion === assertion)
          .map(({ rule, message, detail }) => ({ type: rule, message, text: [message, detail].join("\n").trim() })),
        ...(assertion === "snapshot" && { notes }),
      }));
      return { name: id, cases };
    }),
  );
}

/** Returns SARIF. */
export function toSarif({ results }: TemplateRun): string {
  const found = results.flatMap(({ id, failures }) =>
    failures.map(({ assertion, rule, message, detail, file, line }) => {
      const text = `${id}: ${message}${detail === "" ? "" : `\n${detail}`}`;
      return { rule: assertion === rule ? rule : `${assertion}/${rule}`, level: "error" as const, text, file, line };
    }),
  );
  return toSarifLog("restante test", found);
}

/** Returns workflow commands of GitHub that annotate the change. */
export function toAnnotations({ results }: TemplateRun): string {
  const commands = results.flatMap(({ id, failures }) =>
    failures.map(({ assertion, message, detail, file, line }) => {
      const properties = [`file=${property(file)}`, ...(line === null ? [] : [`line=${String(line)}`])];
      const title = `title=${property(`${id}: ${assertion}`)}`;
      return `::error ${[...properties, title].join(",")}::${escaped([message, detail].join("\n").trim())}\n`;
    }),
  );
  return commands.join("");
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
