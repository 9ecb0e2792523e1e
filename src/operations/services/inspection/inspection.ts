import { checkContent, type ContentChecks } from "../../../analysis/content-checks.ts";
import { type MailFacts, readFacts } from "../../../analysis/mail-facts.ts";
import type { ComparedMails } from "../../../analysis/localisation/compare-locales.ts";
import { type LocalisedMail, readLocalisedMail } from "../../../analysis/localisation/read-localised-mail.ts";
import { snapshotMessage, type SnapshotSource } from "../../../analysis/snapshots/snapshot-message.ts";
import { judgeSpam } from "../../../analysis/spam/judge-spam.ts";
import {
  findSenderRecords,
  queryBlockLists,
  type BlockListVerdict,
  type SenderRecords,
} from "../../../authentication/block-lists.ts";
import { type DnsSource, openDns } from "../../../authentication/dns.ts";
import type {
  AuthenticationVerdicts,
  CheckResult,
  MailOrigin,
  SignatureVerdict,
} from "../../../authentication/mail-authentication.ts";
import type { MailReports } from "../../../core/mail-reports.ts";
import type { AuditOutcome, LintProfileId, LintReport } from "../../../core/lint.ts";
import type { LocalisationFinding } from "../../../core/localisation.ts";
import type { SenderResult, SenderVerdicts } from "../../../core/smtp-session.ts";
import type { SnapshotOptions } from "../../../core/snapshot.ts";
import type { SpamVerdict } from "../../../core/spam.ts";
import type { Mailbox } from "../../../mime/compose/address-field.ts";
import { replyRecipients } from "../../../mime/compose/compose-reply.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { readStructure } from "../../../mime/structure/read-structure.ts";
import type { MessageStructure } from "../../../mime/structure/structure.ts";
import { composeShownPage, type ShownHtml } from "../../../previews/shown-page.ts";
import type { CallbackRequest } from "../../../providers/callbacks.ts";
import {
  fingerprintMessage,
  outlineSummaries,
  type MessageFingerprint,
  type OutlinedSummary,
} from "../reading/fingerprint-message.ts";
import { describeFiles, type MailFiles, outlineMail, type PartOutline } from "../reading/mail-files.ts";
import { composeFromOriginal, type Composition, readStoredMail } from "../sending/compose-from-original.ts";
import type { InboundJob } from "./render-inbound.ts";
import type { CompatibilityReport } from "../../../analysis/lint/compatibility-report.ts";

/** Inspection of a mail; survives structured cloning. */
export type Inspection =
  | ({ readonly kind: "lint"; readonly profile?: LintProfileId | null } & AuditOutcome)
  | { readonly kind: "spam"; readonly receivedAt: number }
  | { readonly kind: "outline" }
  /** Reads the part tree with the mails in the mail. */
  | { readonly kind: "structure" }
  /** Describes the attachments. */
  | { readonly kind: "files" }
  /** Compares the HTML with the features of email clients; null without HTML. */
  | { readonly kind: "compatibility" }
  /** Finds the mailboxes that a reply goes to. */
  | { readonly kind: "replyRecipients"; readonly receivedAt: number }
  /** Composes a mail from the inspected one. */
  | { readonly kind: "compose"; readonly receivedAt: number; readonly composition: Composition }
  /** Composes a page from HTML; the raw mail is not used. */
  | { readonly kind: "page"; readonly shown: ShownHtml }
  /** Renders the request that hands the mail to an application. */
  | { readonly kind: "inbound"; readonly job: InboundJob }
  /** Outlines a page of summaries, whose JSON takes the place of the raw mail. */
  | { readonly kind: "summaries" }
  /** Makes the fingerprint of a message; the raw mail of an SMS is empty. */
  | { readonly kind: "fingerprint"; readonly detail: Uint8Array }
  /** Makes the snapshot of a message; the raw mail of an SMS is empty. */
  | { readonly kind: "snapshot"; readonly source: Omit<SnapshotSource, "raw">; readonly options: SnapshotOptions }
  /** Reads the reports in the mail. */
  | { readonly kind: "reports" }
  /** Reads the texts of a mail that are translated. */
  | { readonly kind: "localisedMail" }
  /** Compares mails of several locales; their JSON takes the place of the raw mail. */
  | { readonly kind: "locales" }
  /** Verifies the DKIM signatures; `deadlineMs` is the time for all DNS queries. */
  | { readonly kind: "signatures"; readonly dns: DnsSource; readonly deadlineMs: number }
  /** Judges the sender by SPF, DKIM and DMARC. */
  | (SenderQuery & { readonly kind: "verdicts" })
  | (SenderQuery & { readonly kind: "sender" });

interface SenderQuery {
  /** Null without an SMTP session. */
  readonly origin: MailOrigin | null;
  readonly dns: DnsSource;
  /** Time for all DNS queries in milliseconds. */
  readonly deadlineMs: number;
}

/** Checks of the sender and the content of a mail. */
export interface SenderInspection extends AuthenticationVerdicts {
  readonly blockLists: readonly BlockListVerdict[];
  readonly dnsRecords: SenderRecords;
  readonly content: ContentChecks;
}

/** Result of each kind of {@link Inspection}. */
export interface InspectionResults {
  readonly lint: { readonly report: LintReport; readonly webLinks: readonly string[] };
  readonly spam: SpamVerdict;
  readonly sender: SenderInspection;
  readonly verdicts: SenderVerdicts;
  readonly page: string;
  readonly outline: PartOutline;
  readonly structure: MessageStructure;
  readonly files: MailFiles;
  readonly compatibility: HtmlCompatibility | null;
  readonly replyRecipients: readonly Mailbox[];
  readonly compose: Uint8Array;
  readonly inbound: CallbackRequest;
  readonly summaries: readonly OutlinedSummary[];
  readonly fingerprint: MessageFingerprint;
  readonly snapshot: string;
  readonly localisedMail: LocalisedMail;
  readonly locales: readonly (readonly LocalisationFinding[])[];
  readonly signatures: readonly SignatureVerdict[];
  readonly reports: MailReports;
}

const webLinkCountMax = 100;

/** Inspections of the bytes alone. */
const describeParts = {
  outline: outlineMail,
  structure: readStructure,
  files: describeFiles,
  compatibility: compareHtml,
  reports: async (raw: Uint8Array, limits: MimeLimits): Promise<MailReports> => {
    const { readReports } = await import("../../../analysis/reports/read-reports.ts");
    return readReports(raw, limits);
  },
  localisedMail: readLocalisedMail,
  locales: compareMails,
} as const;

/**
 * Inspects a mail. Does not reject because of its content; queries only the DNS source. Large modules (the data of
 * caniemail, mailauth) are loaded by the first inspection that uses them.
 */
export async function inspectMail(
  raw: Uint8Array,
  inspection: Inspection,
  limits: MimeLimits,
): Promise<InspectionResults[Inspection["kind"]]> {
  if (inspection.kind === "page") return composeShownPage(inspection.shown);
  if (isOfParts(inspection)) return describeParts[inspection.kind](raw, limits);
  if (inspection.kind === "replyRecipients") return replyRecipients(readStoredMail({ raw, ...inspection }, limits));
  if (inspection.kind === "compose") return composeFromOriginal({ raw, ...inspection }, inspection.composition, limits);
  if (inspection.kind === "inbound") {
    const { renderInbound } = await import("./render-inbound.ts");
    return renderInbound(raw, inspection.job, limits);
  }
  if (inspection.kind === "summaries") return outlineSummaries(raw);
  if (inspection.kind === "fingerprint") return fingerprintMessage(raw, inspection.detail, limits);
  if (inspection.kind === "snapshot") return snapshotMessage({ ...inspection.source, raw }, inspection.options, limits);
  if (isOfAuthentication(inspection)) return authenticate(raw, inspection);
  const facts = readFacts(raw, limits);
  if (inspection.kind === "lint") {
    const { lintMail } = await import("../../../analysis/lint/lint-mail.ts");
    return { report: lintMail(facts, inspection, inspection.profile), webLinks: webLinksOf(facts) };
  }
  if (inspection.kind === "spam") return judgeSpam({ ...facts, receivedAt: inspection.receivedAt });
  return inspectSender(facts, inspection);
}

function isOfParts(inspection: Inspection): inspection is Inspection & { readonly kind: keyof typeof describeParts } {
  return inspection.kind in describeParts;
}

type AuthenticationInspection = Extract<Inspection, { kind: "signatures" | "verdicts" }>;

function isOfAuthentication(inspection: Inspection): inspection is AuthenticationInspection {
  return inspection.kind === "signatures" || inspection.kind === "verdicts";
}

async function compareMails(json: Uint8Array): Promise<InspectionResults["locales"]> {
  const { compareLocales } = await import("../../../analysis/localisation/compare-locales.ts");
  return compareLocales(JSON.parse(Buffer.from(json).toString("utf8")) as ComparedMails);
}

async function inspectSender(facts: MailFacts, { origin, dns, deadlineMs }: SenderQuery): Promise<SenderInspection> {
  const { authenticateMail } = await import("../../../authentication/mail-authentication.ts");
  const lookup = openDns(dns, deadlineMs);
  const clientAddress = origin?.clientAddress ?? null;
  const domain = domainOf(origin?.mailFrom ?? "") ?? domainOf(facts.mail.from[0]?.email ?? "");
  const [verdicts, blockLists, dnsRecords] = await Promise.all([
    authenticateMail(facts.raw, origin, lookup),
    queryBlockLists(clientAddress, lookup),
    findSenderRecords({ domain, clientAddress }, lookup),
  ]);
  return { ...verdicts, blockLists, dnsRecords, content: checkContent(facts) };
}

const resultOf: Readonly<Record<CheckResult, SenderResult>> = {
  Pass: "pass",
  Fail: "fail",
  Warning: "neutral",
  Timeout: "unknown",
};

/** Verifies the signatures, or judges the sender, for which of several signatures one that passes is enough (RFC 6376 §6.1). */
async function authenticate(
  raw: Uint8Array,
  inspection: AuthenticationInspection,
): Promise<InspectionResults["signatures" | "verdicts"]> {
  const { authenticateMail, verifySignatures } = await import("../../../authentication/mail-authentication.ts");
  const lookup = openDns(inspection.dns, inspection.deadlineMs);
  if (inspection.kind === "signatures") return verifySignatures(raw, lookup);
  const { spf, dkim, dmarc } = await authenticateMail(raw, inspection.origin, lookup);
  const signatures = dkim.map(({ result }) => result);
  const best = (["Pass", "Timeout", "Fail"] as const).find((result) => signatures.includes(result)) ?? "Warning";
  return { spf: resultOf[spf.result], dkim: resultOf[best], dmarc: resultOf[dmarc.result] };
}

function webLinksOf({ links }: MailFacts): readonly string[] {
  const addresses = links.map(({ href }) => href.trim()).filter((href) => /^https?:/i.test(href));
  return Array.from(new Set(addresses)).slice(0, webLinkCountMax);
}

/** Returns the domain of an address; null when it has none that DNS can resolve. */
function domainOf(address: string): string | null {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return address.includes("@") && /^[^\s@]{1,253}$/.test(domain) && !domain.startsWith("[") ? domain : null;
}

/** Comparison of the HTML of a mail with the features of email clients. */
export interface HtmlCompatibility extends CompatibilityReport {
  /** Number of elements in the HTML. */
  readonly elementCount: number;
}

/** Compares the HTML of a mail with the features of email clients; null without HTML. Linear in the mail. */
async function compareHtml(raw: Uint8Array, limits: MimeLimits): Promise<HtmlCompatibility | null> {
  const { html, elements } = readFacts(raw, limits);
  if (html === null) return null;
  // The data is large and loaded by the first comparison.
  const { reportCompatibility } = await import("../../../analysis/lint/compatibility-report.ts");
  const elementCount = [...elements.values()].reduce((sum, count) => sum + count, 0);
  return { ...reportCompatibility(html), elementCount };
}
