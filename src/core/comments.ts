/**
 * Replaces comments (RFC 5322 §3.2.2), including nested ones, by `instead`; one that is never closed extends to the
 * end.
 */
export function withoutComments(text: string, instead = ""): string {
  if (!text.includes("(")) return text;
  let stripped = "";
  let depth = 0;
  let from = 0;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (character === "\\" && depth > 0) position += 1;
    else if (character === "(") {
      if (depth === 0) stripped += text.slice(from, position) + instead;
      depth += 1;
    } else if (character === ")" && depth > 0) {
      depth -= 1;
      from = position + 1;
    }
  }
  return depth === 0 ? stripped + text.slice(from) : stripped;
}
