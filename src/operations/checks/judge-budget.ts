import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import type { LintFinding, LintReport } from "../../core/lint.ts";
import {
  mailBudgetSchema,
  type BudgetFinding,
  type BudgetReport,
  type BudgetVerdict,
  type MailBudget,
} from "../../core/mail-budget.ts";
import type { Message } from "../../core/message.ts";
import { decodeStrictly } from "../../core/strict-decoder.ts";
import type { Context } from "../context.ts";
import { getMessage, getRawMessage } from "../services/reading/get-message.ts";
import type { HtmlCompatibility } from "../services/inspection/inspection.ts";
import { callerOf, openMessageId } from "../services/security/access.ts";
import { getCompatibility, getSpamAnalysis } from "./analyses.ts";
import { lintMessage } from "./lint-message.ts";

const findingCountMax = 20;
const subjectLengthMax = 200;
const kilobyte = 1024;

/** Mail that is judged, and how to check it. Each check is made when the first limit needs it, and once. */
interface JudgedMail {
  readonly message: Message;
  readonly lint: () => Promise<LintReport>;
  readonly spam: () => ReturnType<typeof getSpamAnalysis>;
  readonly compatibility: () => Promise<HtmlCompatibility | null>;
}

type Judge<Limit> = (limit: Limit, mail: JudgedMail) => Promise<readonly BudgetVerdict[]>;

/** Judges by the members of a budget, in the order of the verdicts. */
const judges: { readonly [Rule in keyof MailBudget]-?: Judge<NonNullable<MailBudget[Rule]>> } = {
  maxHtmlKb: async (limit, { message }) => [judgeSize(limit, message)],
  maxImages: async (limit, { message }) => [
    judgeCount(
      "maxImages",
      limit,
      message.html.images.map(({ src }) => src),
    ),
  ],
  maxLinks: async (limit, { message }) => [
    judgeCount(
      "maxLinks",
      limit,
      linksOf(message).map(({ href }) => href),
    ),
  ],
  maxAttachmentsKb: async (limit, { message }) => [judgeAttachments(limit, message)],
  contrast: async (limit, { lint }) => {
    const isContrast = ({ rule }: LintFinding): boolean => rule === "text-contrast" || rule === "axe-color-contrast";
    return [judgeFindings({ rule: "contrast", limit }, (await lint()).findings.filter(isContrast))];
  },
  support: judgeSupport,
  spamScore: async (limit, { spam }) => {
    const { score, rules } = await spam();
    const findings = rules
      .filter((one) => one.score > 0)
      .map(({ rule, score: points, description }) => ({
        ...outside(`${rule} (${String(points)}): ${description}`),
      }));
    return [
      verdictOf(
        { rule: "spamScore", limit: `at most ${String(limit)}`, actual: String(score) },
        score <= limit,
        findings,
      ),
    ];
  },
  links: async (limit, { lint }) => {
    const findings = (await lint()).findings.filter(({ category }) => category === "links");
    return [judgeFindings({ rule: "links", limit }, findings)];
  },
  lint: async (limit, { lint }) => {
    const { findings } = await lint();
    const counted = findings.filter(({ severity }) => severity === "error" || severity === limit);
    return [judgeFindings({ rule: "lint", limit: limit === "error" ? "no errors" : "no errors or warnings" }, counted)];
  },
};

/**
 * Judges a mail by a budget, which is the body. Rejects with `not_found`, also for SMS; with a 400 that names every wrong
 * limit, on `links` as {@link lintMessage} does, and on `support` for an unknown email client.
 */
export async function judgeBudget(
  context: Context,
  principal: Principal,
  { id, body }: { readonly id: string; readonly body: unknown },
): Promise<BudgetReport> {
  const budget = decodeStrictly(mailBudgetSchema, body ?? {});
  openMessageId(principal, id);
  const message = await getMessage(context, principal, id);
  if (message.type === "SMS") await getRawMessage(context, principal, id);
  const isLive = budget.links === "reachable";
  const mail: JudgedMail = {
    message,
    lint: once(async () => lintMessage(context, principal, { id, isLive })),
    spam: once(async () => getSpamAnalysis(context, principal, id)),
    compatibility: once(async () => getCompatibility(context, principal, id)),
  };
  const verdicts: BudgetVerdict[] = [];
  for (const [rule, judge] of Object.entries(judges)) {
    const limit = budget[rule as keyof MailBudget];
    if (limit === undefined) continue;
    callerOf(principal, context).signal?.throwIfAborted();
    verdicts.push(...(await (judge as Judge<unknown>)(limit, mail)).map((one) => locate(one, message.html.body)));
  }
  return { isMet: verdicts.every(({ isMet }) => isMet), verdicts };
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return async () => (loaded ??= load());
}

function verdictOf(
  words: Pick<BudgetVerdict, "rule" | "limit" | "actual">,
  isMet: boolean,
  findings: readonly BudgetFinding[],
): BudgetVerdict {
  return { ...words, isMet, findings: isMet ? [] : findings.slice(0, findingCountMax) };
}

function outside(message: string, subject: string | null = null): BudgetFinding {
  return { message, subject: subject?.slice(0, subjectLengthMax).toWellFormed() ?? null, line: null };
}

function judgeSize(limit: number, { html: { body } }: Message): BudgetVerdict {
  const bytes = Buffer.from(body ?? "", "utf8");
  const kilobytes = bytes.length / kilobyte;
  const cut = bytes.toString("utf8", limit * kilobyte);
  const findings = [outside("The HTML goes on after the limit here", cut)];
  return verdictOf(
    { rule: "maxHtmlKb", limit: `at most ${String(limit)} kB`, actual: `${kilobytes.toFixed(1)} kB` },
    kilobytes <= limit,
    findings,
  );
}

function judgeCount(rule: string, limit: number, found: readonly string[]): BudgetVerdict {
  const findings = found.slice(limit).map((subject) => outside("Is more than the limit", subject));
  return verdictOf(
    { rule, limit: `at most ${String(limit)}`, actual: String(found.length) },
    found.length <= limit,
    findings,
  );
}

function linksOf({ html, text }: Message): Message["html"]["links"] {
  return html.body === null ? text.links : html.links;
}

function judgeAttachments(limit: number, { attachments }: Message): BudgetVerdict {
  const kilobytes = attachments.reduce((sum, { length }) => sum + length, 0) / kilobyte;
  const bySize = attachments.toSorted((one, other) => other.length - one.length);
  const findings = bySize.map(({ fileName, length }) => outside(`Has ${(length / kilobyte).toFixed(1)} kB`, fileName));
  const words = {
    rule: "maxAttachmentsKb",
    limit: `at most ${String(limit)} kB`,
    actual: `${kilobytes.toFixed(1)} kB`,
  };
  return verdictOf(words, kilobytes <= limit, findings);
}

function judgeFindings(words: Pick<BudgetVerdict, "rule" | "limit">, found: readonly LintFinding[]): BudgetVerdict {
  const actual = found.length === 1 ? "1 finding" : `${String(found.length)} findings`;
  const findings = found.map(({ message, subject }) => outside(message, subject));
  return verdictOf({ ...words, actual }, found.length === 0, findings);
}

async function judgeSupport(
  limits: NonNullable<MailBudget["support"]>,
  { compatibility }: JudgedMail,
): Promise<readonly BudgetVerdict[]> {
  const report = await compatibility();
  if (report === null) return [];
  return limits.flatMap(({ client, percentMin }, at) => {
    const clients = report.shares.filter(({ name }) => name.toLowerCase().startsWith(client.toLowerCase()));
    if (clients.length === 0) {
      const known = `Must be the beginning of one of ${report.clients.join(", ")}`;
      throw invalidField(`support[${String(at)}].client`, known, "unknown");
    }
    return clients.map(({ name, share }) => {
      const lacking = (support: "unsupported" | "partial", words: string): readonly BudgetFinding[] =>
        report.features
          .filter((feature) => feature[support].includes(name))
          .map(({ title, url }) => outside(`${title} is ${words} supported`, url));
      // The worst first, since findings are cut after a number of them.
      const findings = [...lacking("unsupported", "not"), ...lacking("partial", "only partially")];
      const actual = `${(Math.floor(share * 1000) / 10).toString()} %`;
      const words = { rule: `support ${name}`, limit: `at least ${String(percentMin)} %`, actual };
      return verdictOf(words, share * 100 >= percentMin, findings);
    });
  });
}

/** Adds the lines of the subjects that occur in the HTML. */
function locate(verdict: BudgetVerdict, html: string | null): BudgetVerdict {
  if (html === null) return verdict;
  const findings = verdict.findings.map((finding) => {
    const at = finding.subject === null || finding.subject === "" ? -1 : html.indexOf(finding.subject);
    return at < 0 ? finding : { ...finding, line: html.slice(0, at).split("\n").length };
  });
  return { ...verdict, findings };
}
