/** Checks of a mail for the report of a run. */
import type { RestanteClient } from "../client/client.ts";
import type { DeliverabilityReport, LintFinding, LintReport, Verdict } from "../client/generated/types.ts";
import type { RequestOptions } from "../client/options.ts";
import { type CheckRecord, cut, cutAll, reasonOf } from "./record-schema.ts";

/** Findings of a check that a report shows. */
const findingCountMax = 20;
/** Email clients whose share is listed, those with the lowest. */
const shareCountMax = 8;
/** Kilobytes of HTML after which Gmail clips a mail. */
const clippedKb = 102;
/** Email clients of which a report shows the support, by the beginning of their names. */
const supportingClients = ["apple mail", "gmail", "outlook", "samsung email", "yahoo"];

/** Categories of lint by the check that shows them. */
const lintChecks: Readonly<Record<string, readonly LintFinding["category"][]>> = {
  "Headers and structure": ["headers", "structure"],
  Accessibility: ["accessibility"],
  Links: ["links"],
};

type Verdicts = CheckRecord["verdict"];

/** Judges a mail. Never rejects: a check that could not be made has the reason. */
export async function judgeMail(
  client: RestanteClient,
  id: string,
  options: RequestOptions,
): Promise<readonly CheckRecord[]> {
  const { analysis } = client;
  const lint = analysis.lint(id, {}, options);
  const checks = await Promise.all([
    made("Lint", async () => checksOfLint(await lint)),
    made("Email clients", async () => checkSupport(client, id, { lint, ...options })),
    made("Authentication and spam", async () => checksOfReceivers(await analysis.deliverability(id, options))),
  ]);
  return checks.flat();
}

async function made(name: string, make: () => Promise<readonly CheckRecord[]>): Promise<readonly CheckRecord[]> {
  try {
    return await make();
  } catch (error) {
    return [checkOf(name, { verdict: "unknown", summary: reasonOf(error), findings: [] })];
  }
}

function checksOfLint({ findings, accessibility }: LintReport): readonly CheckRecord[] {
  return Object.entries(lintChecks).map(([name, categories]) => {
    const own = findings.filter(({ category }) => categories.includes(category));
    const { engine } = accessibility;
    const by = name === "Accessibility" ? ` (${engine === "restante" ? "built-in rules" : engine})` : "";
    return checkOf(name, { verdict: verdictOf(own), summary: `${countOf(own)}${by}`, findings: own.map(findingText) });
  });
}

function checkOf(name: string, { verdict, summary, findings }: Omit<CheckRecord, "name">): CheckRecord {
  return { name, verdict, summary: cut(summary) ?? "none", findings: cutAll(findings).slice(0, findingCountMax) };
}

function verdictOf(findings: readonly LintFinding[]): Verdicts {
  const has = (wanted: LintFinding["severity"]): boolean => findings.some(({ severity }) => severity === wanted);
  return has("error") ? "bad" : has("warning") ? "warning" : "good";
}

function countOf(findings: readonly LintFinding[]): string {
  const counts = { error: "error", warning: "warning", info: "note" } as const;
  const parts = Object.entries(counts).flatMap(([severity, word]) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return count === 0 ? [] : [`${String(count)} ${word}${count === 1 ? "" : "s"}`];
  });
  return parts.length === 0 ? "no findings" : parts.join(", ");
}

function findingText({ severity, message, subject }: LintFinding): string {
  const word = severity === "info" ? "note" : severity;
  return `${word}: ${message}${subject === null ? "" : ` (${subject})`}`;
}

/** Size of the HTML, and the shares of its features that email clients support; nothing for a mail without HTML. */
async function checkSupport(
  { analysis }: RestanteClient,
  id: string,
  { lint, ...options }: RequestOptions & { readonly lint: Promise<LintReport> },
): Promise<readonly CheckRecord[]> {
  const support = Object.fromEntries(supportingClients.map((name) => [name, 100]));
  const { verdicts } = await analysis.budget(id, { maxHtmlKb: clippedKb, support }, options);
  const size = verdicts.find(({ rule }) => rule === "maxHtmlKb");
  const shares = verdicts
    .filter(({ rule }) => rule.startsWith("support "))
    .map(({ rule, actual }) => ({ name: rule.slice("support ".length), actual, share: Number.parseFloat(actual) }))
    .toSorted((one, other) => one.share - other.share);
  const [lowest] = shares;
  if (lowest === undefined || size === undefined) return [];
  const found = (await lint).findings.filter(({ category }) => category === "compatibility");
  const share = `${lowest.actual} of the features in ${lowest.name}, the lowest of ${String(shares.length)} clients`;
  const summary = `${share}; HTML of ${size.actual}${size.isMet ? "" : ", which Gmail clips"}`;
  const lines = shares.slice(0, shareCountMax).map(({ name, actual }) => `${name}: ${actual}`);
  const verdict = size.isMet ? verdictOf(found) : "bad";
  return [checkOf("Email clients", { verdict, summary, findings: [...lines, ...found.map(findingText)] })];
}

/** Results of receivers by the verdict of a check. */
const verdictsOfResults: Readonly<Record<Verdict["result"], Verdicts>> = {
  Pass: "good",
  Warning: "warning",
  Fail: "bad",
  Timeout: "unknown",
};

function checksOfReceivers({ spf, dkim, dmarc, dns, spamAssassin }: DeliverabilityReport): readonly CheckRecord[] {
  const verdicts = [["SPF", spf], ...dkim.map((one) => ["DKIM", one] as const), ["DMARC", dmarc]] as const;
  const results = verdicts.map(([, { result }]) => result);
  const worst = (["Fail", "Timeout", "Warning"] as const).find((one) => results.includes(one)) ?? "Pass";
  const words = verdicts.map(([name, { result }]) => `${name} ${result.toLowerCase()}`).join(", ");
  // As in the web UI: by the resolver of the machine alone, an application in development fails (decision 0132).
  const isJudged = dns === "servers" || dns === "fixtures";
  const reason = dns === "off" ? "the service has no DNS (RESTANTE_DNS)" : `neither a zone nor RESTANTE_DNS; ${words}`;
  const score = spamAssassin.rules.reduce((sum, rule) => sum + rule.score, 0).toFixed(1);
  return [
    checkOf("Authentication", {
      verdict: isJudged ? verdictsOfResults[worst] : "unknown",
      summary: isJudged ? words : `not judged: ${reason}`,
      findings: verdicts.map(([name, { description }]) => `${name}: ${description}`),
    }),
    checkOf("Spam", {
      verdict: verdictsOfResults[spamAssassin.result],
      summary: `${score} points by ${spamAssassin.engine === "restante" ? "the built-in rules" : spamAssassin.engine}`,
      findings: spamAssassin.rules.map(
        ({ score: points, rule, description }) => `${points.toFixed(1)} ${rule}: ${description}`,
      ),
    }),
  ];
}
