/** Texts and tags of a source with `{{ output }}` and `{% tag %}`. */
import { type RenderBudget, TemplateError } from "./render-budget.ts";

/** Text between tags, or the inside of a tag. */
export interface TagChunk {
  readonly kind: "text" | "output" | "tag";
  readonly text: string;
}

const kinds: Readonly<Record<string, { readonly end: string; readonly kind: TagChunk["kind"] | null }>> = {
  "{{": { end: "}}", kind: "output" },
  "{%": { end: "%}", kind: "tag" },
  "{#": { end: "#}", kind: null },
};

/** Splits a source into texts and tags; a minus beside a delimiter removes the white space on its side. */
export function splitTags(source: string, budget: RenderBudget, hasComments: boolean): readonly TagChunk[] {
  budget.readTags(source, "{{", "}}");
  budget.readTags(source, "{%", "%}");
  const chunks: TagChunk[] = [];
  const opening = hasComments ? /\{[{%#]/g : /\{[{%]/g;
  let end = 0;
  let isTrimmed = false;
  const addText = (to: number, isTrimmedAtEnd: boolean): void => {
    let text = source.slice(end, to);
    if (isTrimmed) text = text.trimStart();
    if (isTrimmedAtEnd) text = text.trimEnd();
    if (text !== "") chunks.push({ kind: "text", text });
  };
  for (let match = opening.exec(source); match !== null; match = opening.exec(source)) {
    const { end: closing, kind } = kinds[match[0]] ?? { end: "", kind: null };
    const close = source.indexOf(closing, match.index + 2);
    if (close === -1)
      throw new TemplateError(`not valid template ## near ## ${source.slice(match.index, match.index + 50)} ##`);
    const tag = source.slice(match.index + 2, close);
    addText(match.index, tag.startsWith("-"));
    if (kind !== null) chunks.push({ kind, text: tag.replace(/^-/, "").replace(/-$/, "") });
    isTrimmed = tag.endsWith("-");
    end = close + 2;
    if (kind === "tag" && tag.trim() === "verbatim") end = addVerbatim(source, end, chunks);
    opening.lastIndex = end;
  }
  addText(source.length, false);
  return chunks;
}

/** Adds the text of `{% verbatim %}` and returns the offset behind its end. */
function addVerbatim(source: string, start: number, chunks: TagChunk[]): number {
  const closing = /\{%-?\s?endverbatim\s?-?%\}/g;
  closing.lastIndex = start;
  const match = closing.exec(source);
  if (match === null) throw new TemplateError("'endverbatim' is missing");
  chunks.pop();
  chunks.push({ kind: "text", text: source.slice(start, match.index) });
  return match.index + match[0].length;
}
