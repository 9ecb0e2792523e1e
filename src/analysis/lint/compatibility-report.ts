import { clientNames, compatibilityAttributes, compatibilityFeatures, type Feature } from "./compatibility-table.ts";
import { readUsage } from "./html-usage.ts";
import { type LintRule, type LintSubject, type Notice, rulesOf } from "./lint-rule.ts";

/** Feature that a mail uses and some email clients lack. */
export interface UsedFeature {
  readonly title: string;
  /** Page with details. */
  readonly url: string;
  /** Names of email clients, `Outlook (Windows)`. */
  readonly unsupported: readonly string[];
  readonly partial: readonly string[];
}

/** Features of a mail that some email clients lack, and what they were compared with. */
export interface CompatibilityReport {
  readonly features: readonly UsedFeature[];
  /** Names of all email clients. */
  readonly clients: readonly string[];
  /** Share of the used features that each client supports, the lowest first; partial support counts half. */
  readonly shares: readonly { readonly name: string; readonly share: number }[];
  /** Number of features that were looked for. */
  readonly featureCount: number;
  /** Number of features that the mail uses. Includes features that all clients support. */
  readonly usedCount: number;
}

/** Compares HTML with the features of email clients, by the data of caniemail.com. Linear in the HTML. */
export function reportCompatibility(html: string): CompatibilityReport {
  const usage = readUsage(html, compatibilityAttributes());
  const features = compatibilityFeatures();
  const used = features.filter((feature) => feature.isUsed(usage));
  const lacking = used.filter(({ unsupported, partial }) => unsupported.length + partial.length > 0);
  return {
    features: lacking.map(({ title, url, unsupported, partial }) => ({ title, url, unsupported, partial })),
    clients: clientNames,
    shares: clientNames
      .map((name) => ({ name, share: shareOf(name, used) }))
      .toSorted((one, other) => one.share - other.share),
    featureCount: features.length,
    usedCount: used.length,
  };
}

function shareOf(client: string, used: readonly Feature[]): number {
  const lacked = used.filter(({ unsupported }) => unsupported.includes(client)).length;
  const halved = used.filter(({ partial }) => partial.includes(client)).length;
  return used.length === 0 ? 1 : 1 - (lacked + halved / 2) / used.length;
}

const namedCountMax = 6;

/** Rules about features that email clients lack, according to caniemail.com. */
export const compatibilityRules: readonly LintRule[] = rulesOf("compatibility", {
  "feature-unsupported": {
    severity: "warning",
    meaning:
      "All email clients support the features that the HTML and its styles use, according to caniemail.com. One finding for each feature, with the clients that lack it.",
    check: (subject) => judge(subject, ({ unsupported }) => unsupported, "is not supported by"),
  },
  "feature-partial": {
    severity: "info",
    meaning:
      "Every used feature has full support in the email clients that support it, according to the same data; the page in the finding lists the exceptions.",
    check: (subject) =>
      judge(
        subject,
        (feature) => (feature.unsupported.length > 0 ? [] : feature.partial),
        "is only partially supported by",
      ),
  },
});

function judge(
  { html }: LintSubject,
  clientsOf: (feature: Feature) => readonly string[],
  verb: string,
): readonly Notice[] {
  if (html === null) return [];
  const usage = readUsage(html, compatibilityAttributes());
  return compatibilityFeatures()
    .filter((feature) => clientsOf(feature).length > 0 && feature.isUsed(usage))
    .map((feature) => ({ message: `${feature.title} ${verb} ${list(clientsOf(feature))}`, subject: feature.url }));
}

function list(names: readonly string[]): string {
  const more = names.length - namedCountMax;
  return more > 0 ? `${names.slice(0, namedCountMax).join(", ")} and ${more} more` : names.join(", ");
}
