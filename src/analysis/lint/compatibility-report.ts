import { clientNames, compatibilityAttributes, compatibilityFeatures } from "./compatibility-table.ts";
import { readUsage } from "./html-usage.ts";

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
  /** Number of features that were looked for. */
  readonly featureCount: number;
}

/** Compares HTML with the features of email clients, by the data of caniemail.com. Linear in the HTML. */
export function reportCompatibility(html: string): CompatibilityReport {
  const usage = readUsage(html, compatibilityAttributes());
  const features = compatibilityFeatures();
  const used = features.filter(
    (feature) => feature.unsupported.length + feature.partial.length > 0 && feature.isUsed(usage),
  );
  return {
    features: used.map(({ title, url, unsupported, partial }) => ({ title, url, unsupported, partial })),
    clients: clientNames,
    featureCount: features.length,
  };
}
