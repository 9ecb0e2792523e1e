/** Parser for the fenced code blocks of the README and the guides. */
import { filesAtTop, filesBelow } from "../tidy/source-files.ts";

/** Fenced code block of a page. */
export interface Block {
  readonly page: string;
  /** Line number of the first line of code. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Reason not to run it, from a preceding comment `<!-- not run: … -->`; null if it must run. */
  readonly notRun: string | null;
  /** File name, from a first line such as `// playwright.config.ts`; null without one. */
  readonly file: string | null;
}

/** Returns all blocks of the README and the guides, ordered by page and line. */
export function allBlocks(): readonly Block[] {
  const pages = [...filesAtTop("README.md"), ...filesBelow("docs/guide", ".md")];
  return pages.flatMap(({ path, text }) => blocksOf(path, text));
}

/** Returns the name of the directory for the blocks of a page. */
export function folderOf(page: string): string {
  return page.replace(/\.md$/, "").replaceAll("/", "-");
}

const fence = /(?:^ *<!-- not run: (.+) -->\n)?^( *)```(\S*)\n([^]*?)^\2```$/gm;

/** Returns the blocks of one page. */
export function blocksOf(page: string, text: string): readonly Block[] {
  return Array.from(text.matchAll(fence), (match) => {
    const [whole, notRun = null, indent = "", language = "", indented = ""] = match;
    const before = text.slice(0, match.index + whole.indexOf("```"));
    const code = indented.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const file = /^(?:\/\/|#) ([\w./-]+\.[a-z]+)\n/.exec(code)?.[1] ?? null;
    return { page, line: before.split("\n").length + 1, language, code, notRun, file };
  });
}
