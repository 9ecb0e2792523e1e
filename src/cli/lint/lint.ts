import { createReadStream } from "node:fs";
import { isAbsolute } from "node:path";
import { buffer } from "node:stream/consumers";
import { configFrom } from "../../app/settings/config.ts";
import { createRenderer } from "../../app/external-checks.ts";
import { unobservedTasks } from "../../core/background-tasks.ts";
import {
  type AuditOutcome,
  type LintFinding,
  lintProfileIds,
  type LintReport,
  type LintSeverity,
} from "../../core/lint.ts";
import { probeLink } from "../../egress/checks/public-fetch.ts";
import { type InspectionResults, inspectMail } from "../../operations/services/inspection/inspection.ts";
import { auditMail, judgeOffline, withLiveLinks } from "../../operations/checks/lint-message.ts";
import { type Action, exitCodes, type Terminal, toJson, UsageError } from "../command.ts";
import { type JunitCase, printable, type SarifResult, toJunitXml, toSarifLog } from "../report-formats.ts";

const noBrowser = "use --browser=auto to run axe-core on the rendered mail";
const severities: readonly LintSeverity[] = ["error", "warning", "info"];

/** Runs `restante lint FILE`, without a service; `-` is standard input. Exits with 1 on findings of `--fail-on` or above. */
export const lint: Action = async ({ operands, flags, terminal }) => {
  const [file = ""] = operands;
  const options = readOptions(flags);
  const raw = await readMail(file);
  const report = await lintFile(raw, options, terminal);
  terminal.out(lintFormats[options.format](report, file));
  // With a profile its verdict decides, unless a severity was given too.
  const isJudged = options.profile === null || flags.has("fail-on");
  const hasFailed = (isJudged && failsAt(report, options.failOn)) || report.profile?.verdict === "fail";
  return hasFailed ? exitCodes.failed : exitCodes.done;
};

/** Reads a mail from a file or standard input, at most as many bytes as the service accepts: a device has no end. */
async function readMail(file: string): Promise<Uint8Array> {
  const { messageBytesMax } = configFrom({}).limits;
  const upTo = { end: messageBytesMax };
  const raw = await buffer(file === "-" ? createReadStream("", { fd: 0, ...upTo }) : createReadStream(file, upTo));
  if (raw.byteLength <= messageBytesMax) return raw;
  throw new UsageError(`${file} is larger than a mail may be: ${String(messageBytesMax)} bytes`);
}

type Options = ReturnType<typeof readOptions>;

function readOptions(flags: ReadonlyMap<string, string>) {
  const profile = flags.get("profile");
  return {
    format: choose(flags.get("format") ?? "text", "--format", ["text", "json", "junit", "sarif"]),
    failOn: choose(flags.get("fail-on") ?? "error", "--fail-on", [...severities, "never"]),
    profile: profile === undefined ? null : choose(profile, "--profile", lintProfileIds),
    links: choose(flags.get("links") ?? "syntax", "--links", ["syntax", "live"]),
    browser: flags.get("browser") ?? "off",
  };
}

async function lintFile(
  raw: Uint8Array,
  { browser, profile, links }: Options,
  terminal: Terminal,
): Promise<LintReport> {
  const outcome = await audit(raw, browser, terminal);
  const { limits } = configFrom({});
  const found = (await inspectMail(raw, { kind: "lint", profile, ...outcome }, limits)) as InspectionResults["lint"];
  const linted = links === "live" ? await withLiveLinks(found.report, found.webLinks, probeLink) : found.report;
  return profile === null ? linted : judgeOffline(linted, profile);
}

/** Runs axe-core in a browser, if `--browser` requests one: without, lint takes milliseconds instead of seconds. */
async function audit(raw: Uint8Array, browser: string, terminal: Terminal): Promise<AuditOutcome> {
  if (browser === "off") return { audit: null, problem: noBrowser };
  if (browser !== "auto" && !isAbsolute(browser)) throw new UsageError("--browser takes auto, off or an absolute path");
  const renderer = createRenderer(configFrom({ chromium: browser }), terminal.clock, { tasks: unobservedTasks });
  try {
    const outcome = await auditMail({ renderer, clock: terminal.clock }, async () => raw, { key: "cli" });
    if (outcome.problem !== null) terminal.error(`axe-core did not run: ${outcome.problem}\n`);
    return outcome;
  } finally {
    await renderer.close();
  }
}

function failsAt({ counts }: LintReport, failOn: Options["failOn"]): boolean {
  const failing = failOn === "never" ? [] : severities.slice(0, severities.indexOf(failOn) + 1);
  return failing.some((severity) => counts[severity] > 0);
}

function choose<Choice extends string>(given: string, flag: string, allowed: readonly Choice[]): Choice {
  const choice = allowed.find((one) => one === given);
  if (choice === undefined) throw new UsageError(`${flag} takes one of ${allowed.join(", ")}`);
  return choice;
}

/** Formats of a report about a file by the values of `--format`; the text ends with a line feed. */
const lintFormats: Readonly<Record<Options["format"], (report: LintReport, file: string) => string>> = {
  text: (report, file) => {
    const { error, warning, info } = report.counts;
    const lines = report.findings.map((one) => `${file}: ${one.severity}: ${sentence(one)} [${one.rule}]`);
    lines.push(...profileLines(report, file));
    const counts = `${plural(error, "error")}${errorsOf(report)}, ${plural(warning, "warning")}, ${plural(info, "note")}`;
    return `${[...lines, `${file}: ${counts}`].map(printable).join("\n")}\n`;
  },
  json: (report, file) => toJson({ file, ...report }),
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
