import { readFileSync } from "node:fs";
import { configFrom } from "../app/config.ts";
import type { LintReport, LintSeverity } from "../core/lint.ts";
import { probeLink } from "../egress/probe-link.ts";
import { inspectMail, type InspectionResults } from "../operations/inspection.ts";
import { withLiveLinks } from "../operations/lint-message.ts";
import { exitCodes, UsageRefused, type Action } from "./command.ts";
import { lintFormats } from "./lint-formats.ts";

const noBrowser = "restante lint reads files without a browser; the service asks axe-core where it has one";
const severities: readonly LintSeverity[] = ["error", "warning", "info"];

/** `restante lint FILE`: needs no service; `-` is standard input. Exit code 1 when something as grave as asked is found. */
export const lint: Action = async ({ operands, flags, terminal }) => {
  const [file = ""] = operands;
  const format = choose(flags.get("format") ?? "text", "--format", Object.keys(lintFormats));
  const failOn = choose(flags.get("fail-on") ?? "error", "--fail-on", [...severities, "never"]);
  const links = choose(flags.get("links") ?? "syntax", "--links", ["syntax", "live"]);
  const raw = readFileSync(file === "-" ? 0 : file);
  const found = (await inspectMail(
    raw,
    { kind: "lint", audit: null, problem: noBrowser },
    configFrom({}).limits,
  )) as InspectionResults["lint"];
  const report = links === "live" ? await withLiveLinks(found.report, found.webLinks, probeLink) : found.report;
  terminal.out(lintFormats[format]?.(report, file) ?? "");
  return failsAt(report, failOn) ? exitCodes.failed : exitCodes.done;
};

function failsAt({ counts }: LintReport, failOn: string): boolean {
  const gravest = severities.slice(0, severities.indexOf(failOn as LintSeverity) + 1);
  return gravest.some((severity) => counts[severity] > 0);
}

function choose(given: string, flag: string, allowed: readonly string[]): string {
  if (!allowed.includes(given)) throw new UsageRefused(`${flag} takes one of ${allowed.join(", ")}`);
  return given;
}
