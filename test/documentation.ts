/** Reference pages with sections that are generated from tables in the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the absolute path of a page. */
export function pagePath(page: string): string {
  return join(import.meta.dirname, "..", page);
}

/**
 * Returns the expected page: `sections` by name, each between `<!-- name -->` and `<!-- /name -->`, the rest unchanged.
 * Throws when the page lacks a section.
 */
export function pageWith(page: string, sections: Readonly<Record<string, string>>): string {
  let text = readFileSync(pagePath(page), "utf8");
  for (const [name, section] of Object.entries(sections)) {
    const [before, rest] = split(text, `<!-- ${name} -->\n`);
    const [, after] = split(rest, `<!-- /${name} -->`);
    text = `${before}<!-- ${name} -->\n\n${section.trim()}\n\n<!-- /${name} -->${after}`;
  }
  return text;
}

/** Returns a Markdown table; cells must not contain line breaks. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** Returns the anchor of a heading as forges and the site make it, without the number of a repeated one. */
export function slugOf(heading: string): string {
  const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
}

function split(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`the page has no ${mark.trim()}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
