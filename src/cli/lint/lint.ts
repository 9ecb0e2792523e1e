import { createReadStream } from "node:fs";
import { isAbsolute } from "node:path";
import { buffer } from "node:stream/consumers";
import { configFrom } from "../../app/settings/config.ts";
import { createRenderer } from "../../app/external-checks.ts";
import { unobservedTasks } from "../../core/background-tasks.ts";
import {
  type AuditOutcome,
  type LintProfileId,
  lintProfileIds,
  type LintReport,
  type LintSeverity,
} from "../../core/lint.ts";
import { probeLink } from "../../egress/checks/public-fetch.ts";
import { type InspectionResults, inspectMail } from "../../operations/services/inspection/inspection.ts";
import { auditMail, judgeOffline, withLiveLinks } from "../../operations/checks/lint-message.ts";
import { type Action, exitCodes, type Terminal, UsageError } from "../command.ts";
import { lintFormats } from "./lint-formats.ts";

const noBrowser = "use --browser=auto to run axe-core on the rendered mail";
const severities: readonly LintSeverity[] = ["error", "warning", "info"];

/** Runs `restante lint FILE`, without a service; `-` is standard input. Exits with 1 on findings of `--fail-on` or above. */
export const lint: Action = async ({ operands, flags, terminal }) => {
  const [file = ""] = operands;
  const options = readOptions(flags);
  const raw = await readMail(file);
  const report = await lintFile(raw, options, terminal);
  terminal.out(lintFormats[options.format]?.(report, file) ?? "");
  // With a profile its verdict decides, unless a severity was given too.
  const isJudged = options.profile === null || flags.has("fail-on");
  return (isJudged && failsAt(report, options.failOn)) || hasFailed(report) ? exitCodes.failed : exitCodes.done;
};

/** Reads a mail from a file or standard input, at most as many bytes as the service accepts: a device has no end. */
async function readMail(file: string): Promise<Uint8Array> {
  const { messageBytesMax } = configFrom({}).limits;
  const upTo = { end: messageBytesMax };
  const raw = await buffer(file === "-" ? createReadStream("", { fd: 0, ...upTo }) : createReadStream(file, upTo));
  if (raw.byteLength <= messageBytesMax) return raw;
  throw new UsageError(`${file} is larger than a mail may be: ${String(messageBytesMax)} bytes`);
}

interface Options {
  readonly format: string;
  readonly failOn: string;
  readonly profile: LintProfileId | null;
  readonly links: string;
  readonly browser: string;
}

function readOptions(flags: ReadonlyMap<string, string>): Options {
  return {
    format: choose(flags.get("format") ?? "text", "--format", Object.keys(lintFormats)),
    failOn: choose(flags.get("fail-on") ?? "error", "--fail-on", [...severities, "never"]),
    profile: profileOf(flags.get("profile")),
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

function profileOf(given: string | undefined): LintProfileId | null {
  if (given === undefined) return null;
  choose(given, "--profile", lintProfileIds);
  return lintProfileIds.find((id) => id === given) ?? null;
}

function hasFailed({ profile }: LintReport): boolean {
  return profile?.verdict === "fail";
}

function failsAt({ counts }: LintReport, failOn: string): boolean {
  const failing = severities.slice(0, severities.indexOf(failOn as LintSeverity) + 1);
  return failing.some((severity) => counts[severity] > 0);
}

function choose(given: string, flag: string, allowed: readonly string[]): string {
  if (!allowed.includes(given)) throw new UsageError(`${flag} takes one of ${allowed.join(", ")}`);
  return given;
}
