/** What a check found, in the only words that the official libraries know. */
export type CheckResult = "Pass" | "Warning" | "Fail" | "Timeout";

/** What a check of sender authentication found. */
export interface Verdict {
  readonly result: CheckResult;
  /** One or two sentences. */
  readonly description: string;
  /** The DNS record that decided; "" where there is none. */
  readonly rawValue: string;
  /** What the record says, tag by tag. */
  readonly tags: Readonly<Record<string, string>>;
}

/** A verdict over a record, whose tags are read out of it. */
export function verdict(result: CheckResult, description: string, rawValue = ""): Verdict {
  return { result, description, rawValue, tags: readTags(rawValue) };
}

/**
 * The tags of a record: `name=value` between semicolons (RFC 6376 §3.2), or between blanks for SPF (RFC 7208 §4.6.1),
 * whose `all` is a tag too, its value the qualifier. The first of equal names counts.
 */
export function readTags(record: string): Readonly<Record<string, string>> {
  const isSpf = /^v=spf1(?: |$)/i.test(record);
  const tags = new Map<string, string>();
  for (const term of record.split(isSpf ? " " : ";")) {
    const all = isSpf ? /^([-~?+]?)all$/i.exec(term) : null;
    const equals = term.indexOf("=");
    if (all !== null) setFirst(tags, "all", all[1] === "" ? "+" : (all[1] ?? "+"));
    else if (equals > 0) setFirst(tags, term.slice(0, equals).trim(), term.slice(equals + 1).trim());
  }
  return Object.fromEntries(tags);
}

function setFirst(tags: Map<string, string>, name: string, value: string): void {
  if (!tags.has(name)) tags.set(name, value);
}
