/** Main module of the process that drives the browser; handles one request at a time. */
import { answerCalls, readWorkerSettings } from "../workers/answer-calls.ts";
import { executableOf, launchBrowser, type OpenBrowser } from "./browser.ts";
import { pageOrigin } from "./mail-images.ts";
import { openFonts } from "./browser-fonts.ts";
import { compareScreenshot } from "./compare-screenshot.ts";
import { composeMaskedPage, composePage } from "./mail-page.ts";
import { overflowScript, readOverflows } from "./overflow-script.ts";
import { exitAfterChildren, killGroup, watchMemory } from "./process-group.ts";
import type { RenderRequest, RenderResult } from "./renderer.ts";
import type { BrowserSettings } from "./browser-process.ts";
import type { MimeLimits } from "../mime/source.ts";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AccessibilityAudit, LintFinding, LintRequirement, LintSeverity } from "../core/lint.ts";

/** Returns the script for a page, in JavaScript; its result is an argument of {@link readAudit}. */
function auditScript(): string {
  return `${axe().source};
    axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => ({
      violations: violations.map(({ id, impact, help, helpUrl, description, nodes }) => ({
        id, impact, help, helpUrl, description,
        nodes: nodes.slice(0, ${String(nodeCountMax)}).map(({ html, any }) => ({
          html: html.slice(0, 400),
          contrast: any.find(({ data }) => data?.contrastRatio)?.message.slice(0, 400),
        })),
      })),
      overflows: ${overflowScript()},
    }))`;
}

/** Returns the findings in a result of {@link auditScript}; never throws for any value that the page returned. */
function readAudit(given: unknown): AccessibilityAudit {
  const { violations: all, overflows } = (given ?? {}) as {
    readonly violations?: unknown;
    readonly overflows?: unknown;
  };
  const violations = Array.isArray(all) ? (all as readonly Partial<Violation>[]) : [];
  return {
    engine: `axe-core ${axe().version}`,
    findings: violations.flatMap(findingsOf),
    rules: violations.map(requirementOf),
    overflows: readOverflows(overflows),
  };
}

/** Rules of WCAG 2.2 A and AA, and the best practices that apply to a mail rather than to a page of a site. */
const options = {
  resultTypes: ["violations"],
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  rules: { "heading-order": { enabled: true }, "empty-heading": { enabled: true } },
} as const;

/** Elements reported for one rule. */
const nodeCountMax = 100;
const subjectLengthMax = 200;

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly helpUrl: string;
  readonly description: string;
  readonly nodes: readonly ViolatingNode[];
}

interface ViolatingNode {
  readonly html: string;
  /** Contrast and colours of a text, and the contrast that is needed; missing for other rules. */
  readonly contrast?: string;
}

const severities: Readonly<Record<string, LintSeverity>> = {
  critical: "error",
  serious: "error",
  moderate: "warning",
  minor: "info",
};

let loaded: { readonly source: string; readonly version: string } | undefined;

/** Returns axe-core, which is loaded at the first audit because it has half a megabyte. */
function axe(): NonNullable<typeof loaded> {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string): string => readFileSync(resolve(`axe-core/${name}`), "utf8");
  return (loaded ??= {
    source: read("axe.min.js"),
    version: (JSON.parse(read("package.json")) as { readonly version: string }).version,
  });
}

/** Attributes with addresses of the page, which the mail does not contain. */
const ownAddress = new RegExp(`\\s[\\w-]{1,20}="${RegExp.escape(pageOrigin)}/[^"]*"`, "g");

function findingsOf({ id = "", impact = null, help = "", nodes = [] }: Partial<Violation>): readonly LintFinding[] {
  const severity = severities[impact ?? ""] ?? "warning";
  return nodes.map(({ html, contrast = help }) => ({
    rule: `axe-${id}`,
    severity,
    category: "accessibility",
    message: contrast,
    subject: html.replaceAll(ownAddress, "").replaceAll(/\s+/g, " ").trim().slice(0, subjectLengthMax).toWellFormed(),
  }));
}

const helpPage = /^https:\/\/dequeuniversity\.com\/rules\/axe\/[\w.-]{1,20}\/[\w-]{1,60}/;

/** Returns the requirement of a violated rule; the page of its address is accepted only where axe-core has its own. */
function requirementOf({ id = "", description = "", helpUrl = "" }: Partial<Violation>): LintRequirement {
  return { rule: `axe-${id}`, meaning: description, url: helpPage.exec(helpUrl)?.[0] ?? null };
}

const settings = readWorkerSettings() as BrowserSettings & { readonly limits: MimeLimits };
let browser: OpenBrowser | null = null;
/** Whether {@link browser} has rendered a mail. */
let isUsed = false;

async function open(): Promise<OpenBrowser> {
  isUsed = false;
  return launchBrowser(await executableOf(settings), await openFonts(settings.folder));
}

/**
 * Renders a mail. A mail that fails is rendered again in a new browser, unless the browser was new: a previous mail may
 * have damaged it.
 */
async function render(request: RenderRequest): Promise<RenderResult> {
  browser ??= await open();
  const wasUsed = isUsed;
  isUsed = true;
  const stopWatching = watchMemory(browser.processId, settings.memoryBytesMax);
  try {
    return await resultOf(browser, request);
  } catch (error) {
    killGroup(browser.processId);
    browser = null;
    if (!wasUsed) throw error;
  } finally {
    stopWatching();
  }
  return render(request);
}

async function resultOf(current: OpenBrowser, { raw, client, comparison }: RenderRequest): Promise<RenderResult> {
  const { limits } = settings;
  if (client !== null && comparison !== undefined) {
    const page = composeMaskedPage(raw, limits, { client, masked: comparison.masked });
    return { screenshot: await current.study(page, client, async (shown) => compareScreenshot(shown, comparison)) };
  }
  const page = composePage(raw, limits, client);
  return client === null
    ? { audit: readAudit(await current.examine(page, auditScript())) }
    : { png: await current.photograph(page, client) };
}

exitAfterChildren();
// If the browser does not start, this process exits with the error, which the service reports.
browser = await open();
answerCalls(render);
