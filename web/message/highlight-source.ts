/** What the words of a mail's source are, line by line, in time linear in the text. */

/** A piece of a line; `kind` names how it is shown. */
export interface SourceToken {
  readonly kind: "name" | "boundary" | "tag" | "encoded" | "plain";
  readonly text: string;
}

const fieldName = /^[!-9;-~]{1,100}:/;
const boundaryLine = /^--\S/;
const base64Line = /^[\w+/]{40,}={0,2}$/;
const tagOrReference = /(<\/?[a-z][^<>]{0,500}>|=\?[\w-]{1,40}\?[bq]\?[^?\s]{0,500}\?=|=[\dA-F]{2}(?:=[\dA-F]{2})*)/gi;

/** The tokens of each line of a mail. A boundary begins a header section, an empty line ends it. */
export function highlightSource(source: string): readonly (readonly SourceToken[])[] {
  let isHeader = true;
  return source.split(/\r\n|\n|\r/).map((line) => {
    if (line === "") isHeader = false;
    if (boundaryLine.test(line)) {
      isHeader = !line.endsWith("--");
      return [{ kind: "boundary", text: line }];
    }
    return isHeader ? headerTokens(line) : bodyTokens(line);
  });
}

function headerTokens(line: string): readonly SourceToken[] {
  const name = fieldName.exec(line)?.[0];
  if (name === undefined) return splitTokens(line);
  return [{ kind: "name", text: name }, ...splitTokens(line.slice(name.length))];
}

function bodyTokens(line: string): readonly SourceToken[] {
  return base64Line.test(line) ? [{ kind: "encoded", text: line }] : splitTokens(line);
}

function splitTokens(text: string): readonly SourceToken[] {
  return text.split(tagOrReference).flatMap((piece, at): readonly SourceToken[] => {
    if (piece === "") return [];
    return [{ kind: at % 2 === 0 ? "plain" : piece.startsWith("<") ? "tag" : "encoded", text: piece }];
  });
}
