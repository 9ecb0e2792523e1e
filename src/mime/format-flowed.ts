import { TextBuilder } from "./line-ends.ts";

/**
 * Joins the lines of `format=flowed` text (RFC 3676 §4): a line that ends in a blank continues in the next one of the
 * same quote depth, stuffed blanks are removed, the signature separator `-- ` stays a separate line. With
 * `deletesSpace` (DelSp=yes) the blank before the line end is removed. Line ends are LF.
 */
export function unflow(text: string, deletesSpace: boolean): string {
  const unflowed = new TextBuilder();
  let open: FlowedLine | null = null;
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = readLine(text.slice(start, end));
    const isContinuation: boolean = open !== null && open.depth === line.depth && !line.isSignature;
    if (!isContinuation) {
      if (start > 0) unflowed.append("\n");
      if (line.depth > 0) unflowed.append(`${">".repeat(line.depth)} `);
    }
    unflowed.append(line.goesOn && deletesSpace ? line.content.slice(0, -1) : line.content);
    open = line.goesOn ? line : null;
    start = end + 1;
  }
  return unflowed.toString();
}

interface FlowedLine {
  readonly depth: number;
  readonly content: string;
  readonly isSignature: boolean;
  readonly goesOn: boolean;
}

function readLine(line: string): FlowedLine {
  const depth = quoteDepth(line);
  const content = line.slice(line.startsWith(" ", depth) ? depth + 1 : depth);
  const isSignature = content === "-- ";
  return { depth, content, isSignature, goesOn: content.endsWith(" ") && !isSignature };
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === ">") depth += 1;
  return depth;
}
