/** Profiles of lint: requirements of receivers, each a row that names the rules and checks that decide about it. */
import type { LintFinding, LintProfileId, ProfileRequirement, ProfileVerdict } from "../../core/lint.ts";
import type { LintRule } from "./lint-rule.ts";
import { bulkSenderRules } from "./bulk-sender-rules.ts";

/** Check of sender authentication, which needs DNS. */
export type AuthenticationCheck = "spf" | "dkim" | "dmarc";

/** Results of sender authentication: null for a check that could not be made. */
export type AuthenticationResults = Readonly<Record<AuthenticationCheck, boolean | null>>;

/** Requirement of a profile. Without rules and check it cannot be judged by a mail. */
export interface RequirementRow {
  readonly id: string;
  /** Receivers that demand it. */
  readonly receivers: string;
  /** One or two sentences for the reference page. */
  readonly meaning: string;
  /** Rules whose findings fail the requirement. */
  readonly rules: readonly string[];
  readonly check: AuthenticationCheck | null;
}

/** Profile of lint. */
export interface LintProfile {
  readonly requirements: readonly RequirementRow[];
  /** Rules that are only checked with the profile. */
  readonly rules: readonly LintRule[];
}

const both = "Gmail, Yahoo";
const notByMail = { rules: [], check: null } as const;

/** All profiles by their ids; docs/reference/lint.md shows them. */
export const lintProfiles: Readonly<Record<LintProfileId, LintProfile>> = {
  "bulk-sender": {
    rules: bulkSenderRules,
    requirements: [
      {
        id: "spf",
        receivers: both,
        meaning: "SPF passes for the envelope sender (RFC 7208).",
        rules: [],
        check: "spf",
      },
      {
        id: "dkim",
        receivers: both,
        meaning: "A DKIM signature is valid (RFC 6376), by a domain that is aligned with From.",
        rules: ["dkim-alignment"],
        check: "dkim",
      },
      {
        id: "dmarc",
        receivers: both,
        meaning: "The domain of From publishes a DMARC policy, at least `p=none`, and SPF or DKIM is aligned with it.",
        rules: [],
        check: "dmarc",
      },
      {
        id: "format",
        receivers: both,
        meaning:
          "The mail has the format of RFC 5322: one From, a valid Date and Message-ID, no repeated field, no line above 998 bytes.",
        rules: ["from", "date", "message-id", "repeated-field", "header-line-length"],
        check: null,
      },
      {
        id: "from",
        receivers: both,
        meaning: "From has exactly one address, which is not at a domain of the receivers (`gmail.com`, `yahoo.com`).",
        rules: ["from-one-address", "from-mailbox-provider"],
        check: null,
      },
      {
        id: "unsubscribe",
        receivers: both,
        meaning: "Marketing and subscribed mail has a valid List-Unsubscribe field (RFC 2369).",
        rules: ["list-unsubscribe", "list-unsubscribe-form"],
        check: null,
      },
      {
        id: "one-click",
        receivers: both,
        meaning:
          "Its recipient can unsubscribe with one click (RFC 8058): an `https` address, List-Unsubscribe-Post, and a DKIM signature over both fields.",
        rules: ["list-unsubscribe", "list-unsubscribe-one-click"],
        check: null,
      },
      {
        id: "unsubscribe-link",
        receivers: both,
        meaning: "The body has a visible link to unsubscribe.",
        rules: ["unsubscribe-link"],
        check: null,
      },
      {
        id: "links",
        receivers: "Gmail",
        meaning: "Links show where they lead.",
        rules: ["link-misleading"],
        check: null,
      },
      {
        id: "forwarding",
        receivers: "Gmail",
        meaning:
          "Mail of mailing lists and forwarders has an ARC seal (RFC 8617), and that of lists List-Id (RFC 2919).",
        rules: ["arc-seal", "list-id"],
        check: null,
      },
      {
        id: "dns",
        receivers: both,
        meaning: "The sending address has a PTR record whose name resolves to it.",
        ...notByMail,
      },
      { id: "tls", receivers: "Gmail", meaning: "Mail is transmitted over TLS.", ...notByMail },
      { id: "spam-rate", receivers: both, meaning: "Fewer than 0.3 % of the mail is reported as spam.", ...notByMail },
      {
        id: "unsubscribe-time",
        receivers: both,
        meaning: "Requests to unsubscribe are honoured within two days.",
        ...notByMail,
      },
    ],
  },
};

/** Returns the verdict of a profile by the findings of its rules and of `lintRules`. */
export function judgeProfile(
  id: LintProfileId,
  findings: readonly LintFinding[],
  authentication: AuthenticationResults | null,
): ProfileVerdict {
  const found = new Map(findings.map((finding) => [finding.rule, finding]));
  const requirements = lintProfiles[id].requirements.map((row) => judgeRow(row, found, authentication));
  const failed = requirements.some(({ result }) => result === "fail");
  return { id, verdict: failed ? "fail" : "pass", requirements };
}

function judgeRow(
  { id, receivers, meaning, rules, check }: RequirementRow,
  found: ReadonlyMap<string, LintFinding>,
  authentication: AuthenticationResults | null,
): ProfileRequirement {
  const row = { id, receivers, meaning };
  for (const rule of rules) {
    const finding = found.get(rule);
    if (finding !== undefined) return { ...row, result: "fail", reason: finding.message };
  }
  if (check === null) return { ...row, result: rules.length > 0 ? "pass" : "not_judged", reason: null };
  const isPassed = authentication?.[check] ?? null;
  if (isPassed === null)
    return { ...row, result: "not_judged", reason: "It could not be checked without DNS and session" };
  return {
    ...row,
    result: isPassed ? "pass" : "fail",
    reason: isPassed ? null : `${check.toUpperCase()} does not pass`,
  };
}
