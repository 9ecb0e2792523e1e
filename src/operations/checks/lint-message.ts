import { type AuthenticationResults, judgeProfile } from "../../analysis/lint/lint-profiles.ts";
import { listFindings, toFinding } from "../../analysis/lint/lint-mail.ts";
import { requirementOf } from "../../analysis/lint/lint-rule.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import type { Verdict } from "../../authentication/mail-authentication.ts";
import type { AuditOutcome, LintProfileId, LintReport } from "../../core/lint.ts";
import { callerOf, openMessageId } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../services/reading/get-message.ts";
import type { LinkProbe, LoadRaw } from "../services/inspection/inspector.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import { type CheckedSender, checkSender } from "./analyses.ts";
import { within } from "../services/limits/mail-admission.ts";

/** Lint rule about links that are requested. */
export const deadLinkRule = {
  id: "link-dead",
  severity: "error",
  category: "links",
  meaning:
    "Every link responds. Checked only on request (`links=live`, `--links live`) and if the operator allows it (`RESTANTE_LINK_CHECK`): the first 100 links are requested with HEAD, on hosts of the public Internet only.",
} as const;

const probesAtOnceMax = 5;

/** Longest wait for the accessibility audit in milliseconds. */
const auditMsMax = 15_000;

/**
 * Checks a mail against all lint rules. Rejects with `not_found`, and with a 400 on `links` when live links are requested
 * and the operator has not allowed it.
 */
export async function lintMessage(
  context: Context,
  principal: Principal,
  {
    id,
    isLive,
    profile = null,
  }: { readonly id: string; readonly isLive: boolean; readonly profile?: LintProfileId | null },
): Promise<LintReport> {
  openMessageId(principal, id);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, id);
  if (isLive && context.probeLink === null) {
    throw invalidField("links", "Asking links is off; RESTANTE_LINK_CHECK=yes allows it", "not_allowed");
  }
  const caller = callerOf(principal, context);
  const outcome = await auditMail(context, load, caller);
  const { report, webLinks } = await context.inspector.inspect(load, { kind: "lint", profile, ...outcome }, caller);
  const found =
    isLive && context.probeLink !== null ? await withLiveLinks(report, webLinks, context.probeLink) : report;
  if (profile === null) return found;
  const authentication = resultsOf(await checkSender(context, principal, id));
  return { ...found, profile: judgeProfile(profile, found.findings, authentication) };
}

/** Adds the verdict of a profile by the findings alone, without sender authentication. */
export function judgeOffline(report: LintReport, profile: LintProfileId): LintReport {
  return { ...report, profile: judgeProfile(profile, report.findings, null) };
}

/** Returns which checks of sender authentication pass: null for those that DNS or the missing session left open. */
function resultsOf({ sender: { spf, dkim, dmarc }, hasSession }: CheckedSender): AuthenticationResults {
  const isPassed = ({ result }: Verdict): boolean | null => (result === "Timeout" ? null : result === "Pass");
  const ofDkim = dkim.map(isPassed);
  return {
    spf: hasSession ? isPassed(spf) : null,
    dkim: ofDkim.includes(true) ? true : ofDkim.includes(null) ? null : false,
    dmarc: isPassed(dmarc),
  };
}

/** Returns the findings of axe-core on the mail as a browser renders it, or why there are none. Never rejects. */
export async function auditMail(
  { renderer, clock }: Pick<Context, "renderer" | "clock">,
  load: LoadRaw,
  { key, signal }: WorkerCaller,
): Promise<AuditOutcome> {
  const missing = await renderer.problem();
  if (missing !== null) return { audit: null, problem: missing };
  const late = new AbortController();
  try {
    const asked = renderer.audit(load, {
      key,
      signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    });
    const audit = await within(clock, auditMsMax, asked);
    return { audit, problem: audit === null ? "The browser was not free in time" : null };
  } catch (error) {
    return { audit: null, problem: error instanceof Problem ? error.message : "The browser failed" };
  } finally {
    // Drops an audit that still waits.
    late.abort();
  }
}

/** Requests links, five at a time; returns the responses in the order of the links. Never rejects. */
export async function probeLinks(
  links: readonly string[],
  probe: LinkProbe,
): Promise<readonly (Awaited<ReturnType<LinkProbe>> & { readonly link: string })[]> {
  const responses: (Awaited<ReturnType<LinkProbe>> & { readonly link: string })[] = [];
  const waiting = links.entries();
  const ask = async (): Promise<void> => {
    for (const [at, link] of waiting) responses[at] = { link, ...(await probe(link)) };
  };
  await Promise.all(Array.from({ length: probesAtOnceMax }, ask));
  return responses;
}

/** Adds a finding for every link that does not answer. */
export async function withLiveLinks(
  report: LintReport,
  links: readonly string[],
  probe: LinkProbe,
): Promise<LintReport> {
  const dead = (await probeLinks(links, probe)).flatMap(({ link, problem: message }) =>
    message === null ? [] : [toFinding(deadLinkRule, { message, subject: link })],
  );
  const added = listFindings([dead]);
  const { error, warning, info } = report.counts;
  return {
    findings: [...added.findings, ...report.findings],
    counts: { error: error + added.counts.error, warning, info },
    accessibility: report.accessibility,
    rules: dead.length === 0 ? report.rules : [...report.rules, requirementOf(deadLinkRule)],
    ...(report.profile !== undefined && { profile: report.profile }),
  };
}
