/** Settings of applications, as the guide shows them. */
import { blocksOf } from "../../test/snippets/blocks.ts";
import { readText } from "../../test/tidy/source-files.ts";

/** Page with the settings of applications. */
export const applicationsPage = "docs/guide/applications.md";
const pages = [applicationsPage, "docs/guide/frameworks.md"];

/** Section of a page up to the next heading: its own heading, the level of it, and its text. */
export interface Section {
  readonly title: string;
  readonly level: number;
  readonly text: string;
}

/** Returns the sections of a page whose headings have at least the level 2, in order. */
export function sectionsOf(page: string): readonly Section[] {
  return Array.from(readText(page).matchAll(/^(#{2,}) (.+)\n([^]*?)(?=^#{2,} |$(?![^]))/gm), (match) => {
    const [, marks = "", title = "", text = ""] = match;
    return { title, level: marks.length, text };
  });
}

/** Returns the first block of code below a heading, with the port of the running service. Throws when there is none. */
export function settingsOf(title: string, port: number): string {
  const sections = pages.flatMap((page) => sectionsOf(page)).filter((section) => section.title === title);
  const [block] = sections.flatMap(({ text }) => blocksOf(title, text));
  if (block === undefined) throw new Error(`no page shows settings for ${title}`);
  return block.code.replaceAll(/\b1025\b/g, String(port));
}
