import type { LintRequirement } from "../../core/lint.ts";
import type { LintRule } from "./lint-rule.ts";

const rfc = /\bRFC (\d{3,5})(?: §(\d{1,2}(?:\.\d{1,2}){0,4}))?/;
const wcagPage = "https://www.w3.org/TR/WCAG22/";
const supportPage = "https://www.caniemail.com/";

/** Returns the requirement of a rule, with the page of the first standard that its meaning names. */
export function requirementOf({
  id,
  meaning,
  category,
}: Pick<LintRule, "id" | "meaning" | "category">): LintRequirement {
  return { rule: id, meaning, url: category === "compatibility" ? supportPage : standardPage(meaning) };
}

function standardPage(meaning: string): string | null {
  const found = rfc.exec(meaning);
  if (found === null) return meaning.includes("WCAG 2.2") ? wcagPage : null;
  const [, number = "", section] = found;
  return `https://www.rfc-editor.org/rfc/rfc${number}${section === undefined ? "" : `#section-${section}`}`;
}
