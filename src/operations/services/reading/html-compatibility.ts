import type { CompatibilityReport } from "../../../analysis/lint/compatibility-report.ts";
import { readFacts } from "../../../analysis/mail-facts.ts";
import type { MimeLimits } from "../../../mime/source.ts";

/** Comparison of the HTML of a mail with the features of email clients. */
export interface HtmlCompatibility extends CompatibilityReport {
  /** Number of elements in the HTML. */
  readonly elementCount: number;
}

/** Compares the HTML of a mail with the features of email clients; null without HTML. Linear in the mail. */
export async function compareHtml(raw: Uint8Array, limits: MimeLimits): Promise<HtmlCompatibility | null> {
  const { html, elements } = readFacts(raw, limits);
  if (html === null) return null;
  // The data is large and loaded by the first comparison.
  const { reportCompatibility } = await import("../../../analysis/lint/compatibility-report.ts");
  const elementCount = [...elements.values()].reduce((sum, count) => sum + count, 0);
  return { ...reportCompatibility(html), elementCount };
}
