import { analysedLengthMax } from "../../core/limits.ts";

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&#39;": "'",
  "&#x3D;": "=",
  "&nbsp;": " ",
};

/** Returns the text of an HTML body, for a text body that is made of it. Takes linear time; omits what follows `analysedLengthMax`. */
export function textOfHtml(whole: string): string {
  const html = whole.slice(0, analysedLengthMax);
  const chunks: string[] = [];
  /** End tag of the element whose content is not shown; null outside of such an element. */
  let hiddenUntil: string | null = null;
  for (let position = 0; position < html.length;) {
    const start = html.indexOf("<", position);
    const end = start === -1 ? -1 : html.indexOf(">", start);
    if (hiddenUntil === null) chunks.push(html.slice(position, end === -1 ? html.length : start));
    if (end === -1) break;
    const tag = tagAt(html, start);
    if (hiddenUntil === null && lineBreak.test(tag)) chunks.push("\n");
    hiddenUntil = nextHidden(hiddenUntil, tag);
    position = end + 1;
  }
  const text = chunks.join("").replaceAll(/&(?:amp|lt|gt|quot|nbsp|#x27|#39|#x3D);/g, (name) => entities[name] ?? name);
  const lines = text.split("\n").map((line) => line.trim());
  return lines.join("\n").trim();
}

const lineBreak = /^(?:br|\/p|\/div|\/tr|\/li|\/h\d)$/;

/** Returns the name of the tag at `start` in lower case, of an end tag with its slash; "" for other markup. */
function tagAt(html: string, start: number): string {
  return /^<(\/?[a-z][a-z\d]{0,20})/i.exec(html.slice(start, start + 24))?.[1]?.toLowerCase() ?? "";
}

function nextHidden(hiddenUntil: string | null, tag: string): string | null {
  if (hiddenUntil !== null) return tag === hiddenUntil ? null : hiddenUntil;
  return /^(?:style|script|head|title)$/.test(tag) ? `/${tag}` : null;
}

/** Returns a text as HTML, also within attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
