import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { configFrom } from "../app/settings/config.ts";
import { createRenderer } from "../app/rendering.ts";
import { unobservedTasks } from "../core/background-tasks.ts";
import type { AuditOutcome, LintReport, LintSeverity } from "../core/lint.ts";
import { probeLink } from "../egress/checks/probe-link.ts";
import { inspectMail, type InspectionResults } from "../operations/services/inspection/inspection.ts";
import { auditMail, withLiveLinks } from "../operations/checks/lint-message.ts";
import { exitCodes, UsageError, type Action, type Terminal } from "./command.ts";
import { lintFormats } from "./lint-formats.ts";

const noBrowser = "use --browser=auto to run axe-core on the rendered mail";
const severities: readonly LintSeverity[] = ["error", "warning", "info"];

/** Runs `restante lint FILE`, without a service; `-` is standard input. Exits with 1 on findings of `--fail-on` or above. */
export const lint: Action = async ({ operands, flags, terminal }) => {
  const [file = ""] = operands;
  const format = choose(flags.get("format") ?? "text", "--format", Object.keys(lintFormats));
  const failOn = choose(flags.get("fail-on") ?? "error", "--fail-on", [...severities, "never"]);
  const links = choose(flags.get("links") ?? "syntax", "--links", ["syntax", "live"]);
  const raw = readFileSync(file === "-" ? 0 : file);
  const outcome = await audit(raw, flags.get("browser") ?? "off", terminal);
  const { limits } = configFrom({});
  const found = (await inspectMail(raw, { kind: "lint", ...outcome }, limits)) as InspectionResults["lint"];
  const report = links === "live" ? await withLiveLinks(found.report, found.webLinks, probeLink) : found.report;
  terminal.out(lintFormats[format]?.(report, file) ?? "");
  return failsAt(report, failOn) ? exitCodes.failed : exitCodes.done;
};

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

function failsAt({ counts }: LintReport, failOn: string): boolean {
  const failing = severities.slice(0, severities.indexOf(failOn as LintSeverity) + 1);
  return failing.some((severity) => counts[severity] > 0);
}

function choose(given: string, flag: string, allowed: readonly string[]): string {
  if (!allowed.includes(given)) throw new UsageError(`${flag} takes one of ${allowed.join(", ")}`);
  return given;
}
