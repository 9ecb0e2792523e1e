import { attributeNames, features, type Feature } from "./compatibility-table.ts";
import { readUsage } from "./html-usage.ts";
import type { LintRule, LintSubject, Notice } from "./lint-rule.ts";

const category = "compatibility";
const namedCountMax = 6;

/** Rules about features that email clients lack, by the data of caniemail.com. */
export const compatibilityRules: readonly LintRule[] = [
  {
    id: "feature-unsupported",
    severity: "warning",
    category,
    meaning:
      "What the HTML and its styles use is shown by all mail programs, by the data of caniemail.com. One finding for each feature, naming the programs that lack it.",
    check: (subject) => judge(subject, ({ unsupported }) => unsupported, "is not supported by"),
  },
  {
    id: "feature-partial",
    severity: "info",
    category,
    meaning:
      "What is used is shown without exceptions, by the same data; the page named in the finding tells what the exceptions are.",
    check: (subject) =>
      judge(
        subject,
        (feature) => (feature.unsupported.length > 0 ? [] : feature.partial),
        "is shown with exceptions by",
      ),
  },
];

function judge(
  { html }: LintSubject,
  programsOf: (feature: Feature) => readonly string[],
  verb: string,
): readonly Notice[] {
  if (html === null) return [];
  const usage = readUsage(html, attributeNames);
  return features
    .filter((feature) => programsOf(feature).length > 0 && feature.isUsed(usage))
    .map((feature) => ({ message: `${feature.title} ${verb} ${list(programsOf(feature))}`, subject: feature.url }));
}

function list(names: readonly string[]): string {
  const more = names.length - namedCountMax;
  return more > 0 ? `${names.slice(0, namedCountMax).join(", ")} and ${more} more` : names.join(", ");
}
