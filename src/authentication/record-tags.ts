/**
 * Returns the tags of a record: `name=value` separated by semicolons (RFC 6376 §3.2), or by blanks for SPF (RFC 7208
 * §4.6.1), whose `all` is a tag too, with the qualifier as value. The first of equal names is used.
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
