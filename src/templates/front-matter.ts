/** Front matter: lines `name: value` between `---` at the beginning of a file, as Maizzle, Jekyll and Eleventy read it. */

/** File with front matter. */
interface FrontMatter {
  /** Texts by name; lines that are no text, such as lists, are left out. */
  readonly values: Readonly<Record<string, string>>;
  /** The rest, with a line for each line of the front matter, so that places in it are those of the file. */
  readonly body: string;
}

/** Reads front matter; a file without has no values. */
export function readFrontMatter(source: string): FrontMatter {
  const lines = source.split("\n");
  if (lines[0]?.trimEnd() !== "---") return { values: {}, body: source };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) return { values: {}, body: source };
  const values: Record<string, string> = {};
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1).trim();
    if (/^[\w$-]{1,50}$/.test(name) && value !== "") values[name] = unquoted(value);
  }
  return { values, body: "\n".repeat(end + 1) + lines.slice(end + 1).join("\n") };
}

function unquoted(value: string): string {
  const quote = value.at(0);
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.at(-1) === quote;
  return isQuoted ? value.slice(1, -1) : value;
}
