/** Profiles of lint: requirements of receivers, each a row that names the rules and checks that decide about it. */
import type { LintFinding, LintProfileId, ProfileRequirement, ProfileVerdict } from "../../core/lint.ts";
import { unsubscribeUris } from "../../core/unsubscribe.ts";
import { fieldValues } from "../mail-facts.ts";
import { type LintRule, type LintSubject, noticeIf, noticesOf, rulesOf } from "./lint-rule.ts";

const unsubscribeWords =
  /unsubscri|opt[- ]?out|email preferences|manage (?:your )?(?:preferences|subscription)|abmeld|abbestell|désabonn|désinscri|darse de baja|cancelar (?:la |a )?(?:suscri|inscri)|annulla l.iscrizione|disiscri|afmelden|uitschrijven|wypisz|配信停止|退订|取消订阅/iu;
const mailboxProviders = /^(?:gmail|googlemail|yahoo|ymail|rocketmail|aol)\./;

/** Rules of the profile `bulk-sender`. Sources: Google's email sender guidelines, Yahoo's sender best practices. */
const bulkSenderRules: readonly LintRule[] = rulesOf("headers", {
  "dkim-alignment": {
    severity: "error",
    meaning:
      "There is a DKIM-Signature whose domain (`d=`) is that of From, a parent or a subdomain of it; whether it is valid is not checked.",
    check: (subject) => {
      const domains = fieldValues(subject, "dkim-signature").map(signingDomain);
      if (domains.length === 0) return [{ message: "The mail has no DKIM signature" }];
      const from = fromDomains(subject)[0] ?? "";
      // The rule `from` reports a From without an address.
      if (from === "") return [];
      const isFound = domains.some((domain) => isAligned(domain, from));
      return noticeIf(!isFound, "No DKIM signature is aligned with From", domains.slice(0, 5).join(", "));
    },
  },
  "from-one-address": {
    severity: "error",
    meaning: "From has exactly one address.",
    check: ({ mail: { from } }) => noticeIf(from.length > 1, `From has ${from.length} addresses`),
  },
  "from-mailbox-provider": {
    severity: "error",
    meaning: "From is not an address at Gmail, Yahoo or AOL, whose DMARC policies reject mail from elsewhere.",
    check: (subject) =>
      noticesOf(
        "From is an address of a mailbox provider",
        fromDomains(subject).filter((domain) => mailboxProviders.test(domain)),
      ),
  },
  "unsubscribe-link": {
    severity: "error",
    category: "links",
    meaning:
      "The body has a link to unsubscribe: its text or address says so, or it is an address of List-Unsubscribe.",
    check: (subject) => {
      const uris = new Set(unsubscribeUris(fieldValues(subject, "list-unsubscribe")[0] ?? ""));
      const isFound = subject.links.some(
        ({ href, text }) => uris.has(href.trim()) || unsubscribeWords.test(`${text ?? ""} ${href}`),
      );
      return noticeIf(!isFound, "The body has no link to unsubscribe");
    },
  },
  "arc-seal": {
    severity: "warning",
    meaning: "Forwarded mail (`Resent-From`, `X-Forwarded-To`) and mail of lists (`List-Post`) has an ARC-Seal.",
    check: (subject) =>
      noticeIf(
        isForwarded(subject) && fieldValues(subject, "arc-seal").length === 0,
        "The mail was forwarded without an ARC seal",
      ),
  },
  "list-id": {
    severity: "warning",
    meaning: "Mail of a mailing list (`List-Post`) has a List-Id.",
    check: (subject) =>
      noticeIf(
        fieldValues(subject, "list-post").length > 0 && fieldValues(subject, "list-id").length === 0,
        "There is no List-Id field",
      ),
  },
});

function signingDomain(signature: string): string {
  return /(?:^|;)\s*d\s*=\s*([^;\s]+)/i.exec(signature)?.[1]?.toLowerCase() ?? "";
}

function fromDomains({ mail }: LintSubject): readonly string[] {
  return mail.from.flatMap(({ email }) =>
    email === null ? [] : [email.slice(email.lastIndexOf("@") + 1).toLowerCase()],
  );
}

/** Whether two domains are equal, or one is below the other; both have at least two labels. */
function isAligned(one: string, other: string): boolean {
  if (!one.includes(".") || !other.includes(".")) return false;
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

function isForwarded(subject: LintSubject): boolean {
  return ["resent-from", "x-forwarded-to", "list-post"].some((name) => fieldValues(subject, name).length > 0);
}

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

/** Returns requirements by their ids; by default of both receivers, and not judged by the mail. */
function requirementsOf(
  rows: Readonly<Record<string, Pick<RequirementRow, "meaning"> & Partial<RequirementRow>>>,
): readonly RequirementRow[] {
  return Object.entries(rows).map(([id, row]) => ({ id, receivers: "Gmail, Yahoo", rules: [], check: null, ...row }));
}

/** All profiles by their ids; docs/reference/lint.md shows them. */
export const lintProfiles: Readonly<Record<LintProfileId, LintProfile>> = {
  "bulk-sender": {
    rules: bulkSenderRules,
    requirements: requirementsOf({
      spf: {
        meaning: "SPF passes for the envelope sender (RFC 7208).",
        check: "spf",
      },
      dkim: {
        meaning: "A DKIM signature is valid (RFC 6376), by a domain that is aligned with From.",
        rules: ["dkim-alignment"],
        check: "dkim",
      },
      dmarc: {
        meaning: "The domain of From publishes a DMARC policy, at least `p=none`, and SPF or DKIM is aligned with it.",
        check: "dmarc",
      },
      format: {
        meaning:
          "The mail has the format of RFC 5322: one From, a valid Date and Message-ID, no repeated field, no line above 998 bytes.",
        rules: ["from", "date", "message-id", "repeated-field", "header-line-length"],
      },
      from: {
        meaning: "From has exactly one address, which is not at a domain of the receivers (`gmail.com`, `yahoo.com`).",
        rules: ["from-one-address", "from-mailbox-provider"],
      },
      unsubscribe: {
        meaning: "Marketing and subscribed mail has a valid List-Unsubscribe field (RFC 2369).",
        rules: ["list-unsubscribe", "list-unsubscribe-form"],
      },
      "one-click": {
        meaning:
          "Its recipient can unsubscribe with one click (RFC 8058): an `https` address, List-Unsubscribe-Post, and a DKIM signature over both fields.",
        rules: ["list-unsubscribe", "list-unsubscribe-one-click"],
      },
      "unsubscribe-link": {
        meaning: "The body has a visible link to unsubscribe.",
        rules: ["unsubscribe-link"],
      },
      links: {
        receivers: "Gmail",
        meaning: "Links show where they lead.",
        rules: ["link-misleading"],
      },
      forwarding: {
        receivers: "Gmail",
        meaning:
          "Mail of mailing lists and forwarders has an ARC seal (RFC 8617), and that of lists List-Id (RFC 2919).",
        rules: ["arc-seal", "list-id"],
      },
      dns: {
        meaning: "The sending address has a PTR record whose name resolves to it.",
      },
      tls: {
        receivers: "Gmail",
        meaning: "Mail is transmitted over TLS.",
      },
      "spam-rate": {
        meaning: "Fewer than 0.3 % of the mail is reported as spam.",
      },
      "unsubscribe-time": {
        meaning: "Requests to unsubscribe are honoured within two days.",
      },
    }),
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
