/** Fenced blocks of the README and the guides. */
import { filesAtTop, filesBelow } from "../tidy/source-files.ts";

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** Line of its first line of code. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Why it is not run, from a comment `<!-- not run: … -->` on the line before; null where it must run. */
  readonly notRun: string | null;
  /** Name of the file that the block is, from a first line such as `// playwright.config.ts`; null without one. */
  readonly file: string | null;
}

/** All blocks of the README and the guides, by page and line. */
export function allBlocks(): readonly Block[] {
  const pages = [...filesAtTop("README.md"), ...filesBelow("docs/guide", ".md")];
  return pages.flatMap(({ path, text }) => blocksOf(path, text));
}

const fence = /(?:^ *<!-- not run: (.+) -->\n)?^( *)```(\S*)\n([^]*?)^\2```$/gm;

/** Blocks of one page. */
export function blocksOf(page: string, text: string): readonly Block[] {
  return Array.from(text.matchAll(fence), (match) => {
    const [whole, notRun = null, indent = "", language = "", indented = ""] = match;
    const before = text.slice(0, match.index + whole.indexOf("```"));
    const code = indented.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const file = /^(?:\/\/|#) ([\w./-]+\.[a-z]+)\n/.exec(code)?.[1] ?? null;
    return { page, line: before.split("\n").length + 1, language, code, notRun, file };
  });
}
