import { unsubscribeUris } from "../../core/list-unsubscribe.ts";
import { fieldValues } from "../mail-facts.ts";
import type { LintRule, LintSubject } from "./lint-rule.ts";

const category = "headers";
const unsubscribeWords =
  /unsubscri|opt[- ]?out|email preferences|manage (?:your )?(?:preferences|subscription)|abmeld|abbestell|désabonn|désinscri|darse de baja|cancelar (?:la |a )?(?:suscri|inscri)|annulla l.iscrizione|disiscri|afmelden|uitschrijven|wypisz|配信停止|退订|取消订阅/iu;
const mailboxProviders = /^(?:gmail|googlemail|yahoo|ymail|rocketmail|aol)\./;

/** Rules of the profile `bulk-sender`. Sources: Google's email sender guidelines, Yahoo's sender best practices. */
export const bulkSenderRules: readonly LintRule[] = [
  {
    id: "dkim-alignment",
    severity: "error",
    category,
    meaning:
      "There is a DKIM-Signature whose domain (`d=`) is that of From, a parent or a subdomain of it; whether it is valid is not checked.",
    check: (subject) => {
      const domains = fieldValues(subject, "dkim-signature").map(signingDomain);
      if (domains.length === 0) return [{ message: "The mail has no DKIM signature" }];
      const from = fromDomains(subject)[0] ?? "";
      // The rule `from` reports a From without an address.
      if (from === "") return [];
      return domains.some((domain) => isAligned(domain, from))
        ? []
        : [{ message: "No DKIM signature is aligned with From", subject: domains.slice(0, 5).join(", ") }];
    },
  },
  {
    id: "from-one-address",
    severity: "error",
    category,
    meaning: "From has exactly one address.",
    check: ({ mail }) => (mail.from.length > 1 ? [{ message: `From has ${String(mail.from.length)} addresses` }] : []),
  },
  {
    id: "from-mailbox-provider",
    severity: "error",
    category,
    meaning: "From is not an address at Gmail, Yahoo or AOL, whose DMARC policies reject mail from elsewhere.",
    check: (subject) =>
      fromDomains(subject)
        .filter((domain) => mailboxProviders.test(domain))
        .map((domain) => ({ message: "From is an address of a mailbox provider", subject: domain })),
  },
  {
    id: "unsubscribe-link",
    severity: "error",
    category: "links",
    meaning:
      "The body has a link to unsubscribe: its text or address says so, or it is an address of List-Unsubscribe.",
    check: (subject) => {
      const uris = new Set(unsubscribeUris(fieldValues(subject, "list-unsubscribe")[0] ?? ""));
      const isFound = subject.links.some(
        ({ href, text }) => uris.has(href.trim()) || unsubscribeWords.test(`${text ?? ""} ${href}`),
      );
      return isFound ? [] : [{ message: "The body has no link to unsubscribe" }];
    },
  },
  {
    id: "arc-seal",
    severity: "warning",
    category,
    meaning: "Forwarded mail (`Resent-From`, `X-Forwarded-To`) and mail of lists (`List-Post`) has an ARC-Seal.",
    check: (subject) =>
      isForwarded(subject) && fieldValues(subject, "arc-seal").length === 0
        ? [{ message: "The mail was forwarded without an ARC seal" }]
        : [],
  },
  {
    id: "list-id",
    severity: "warning",
    category,
    meaning: "Mail of a mailing list (`List-Post`) has a List-Id.",
    check: (subject) =>
      fieldValues(subject, "list-post").length > 0 && fieldValues(subject, "list-id").length === 0
        ? [{ message: "There is no List-Id field" }]
        : [],
  },
];

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
