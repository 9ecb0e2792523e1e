import type { MatchedRule, SpamVerdict } from "../../core/spam.ts";

/**
 * Parses the response to REPORT: a status line, `Spam: True ; 6.1 / 5.0`, and a report that ends with a table of rules.
 * Throws an `Error` for an error status and for an invalid response. Linear in the text.
 */
export function readSpamdResponse(text: string): SpamVerdict {
  const end = text.indexOf("\r\n\r\n");
  const [status = "", ...fields] = text.slice(0, Math.max(0, end)).split("\r\n");
  const [, code, reason] = /^SPAMD\/[\d.]+ (\d+) ?(.*)$/.exec(status) ?? [];
  if (code !== "0") throw new Error(`spamd rejected the mail: ${reason ?? "invalid response"}`);
  const spam = fields
    .map((field) =>
      /^Spam: *(?:True|False|Yes|No) *; *(-?\d{1,9}(?:\.\d{1,9})?) *\/ *(-?\d{1,9}(?:\.\d{1,9})?)/i.exec(field),
    )
    .find((one) => one !== null);
  if (spam === undefined) throw new Error("spamd returned no score");
  return { score: Number(spam?.[1]), threshold: Number(spam?.[2]), rules: readRules(text.slice(end + 4)) };
}

/** Parses the table of a report: score, rule and description, which may continue on the next lines. */
function readRules(report: string): readonly MatchedRule[] {
  const lines = report.split(/\r?\n/);
  const start = lines.findLastIndex((line) => /^-{4} -{10,} -{10,}\s*$/.test(line));
  const rules: { rule: string; score: number; description: string }[] = [];
  for (const line of start < 0 ? [] : lines.slice(start + 1)) {
    const [, score, rule = "", description = ""] = /^ *(-?\d+(?:\.\d+)?) +([A-Z0-9_]+)(?: +(.*))?$/.exec(line) ?? [];
    const last = rules.at(-1);
    if (score !== undefined) rules.push({ rule, score: Number(score), description: description.trim() || rule });
    else if (last !== undefined && /^ {10,}\S/.test(line)) last.description += ` ${line.trim()}`;
    else if (last !== undefined) break;
  }
  return rules.toSorted((one, other) => other.score - one.score);
}
