/** The room's only door to htmlparser2: it knows the 2,231 named character references of the HTML Standard. */
import { Parser } from "htmlparser2";

/** Where a reference stands: in attributes, old names without a semicolon are left alone before `=` and letters. */
export type ReferencePlace = "text" | "attribute";

// `&amp=` is taken along with its `=`, because that decides about it in attributes (§13.2.5.73).
const reference = /&(?:#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31})[;=]?/g;
const remembered: Readonly<Record<ReferencePlace, Map<string, string>>> = { text: new Map(), attribute: new Map() };
const rememberedMax = 5000;
// Starting the parser for one reference costs as much as reading some hundred characters with it.
const singlesMax = 20;

/** Decodes all character references (HTML Standard §13.2.5.72 and following); linear, never throws. */
export function decodeReferences(text: string, place: ReferencePlace): string {
  let decoded = "";
  let from = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    // Nearly all references of an address are this one.
    if (!text.startsWith("amp;", at + 1)) return decoded + decodeAny(text.slice(from), place);
    decoded += text.slice(from, at + 1);
    from = at + 5;
  }
  return from === 0 ? text : decoded + text.slice(from);
}

function decodeAny(text: string, place: ReferencePlace): string {
  const known = remembered[place];
  let singles = 0;
  const decoded = text.replace(reference, (written) => {
    const before = known.get(written);
    if (before !== undefined) return before;
    if (++singles > singlesMax) return written;
    const now = decodeAll(written, place);
    if (now !== written && known.size < rememberedMax) known.set(written, now);
    return now;
  });
  return singles > singlesMax ? decodeAll(text, place) : decoded;
}

function decodeAll(written: string, place: ReferencePlace): string {
  return place === "text" ? decodeInText(written) : decodeInAttribute(written);
}

function decodeInText(written: string): string {
  const pieces: string[] = [];
  const parser = new Parser({ ontext: (piece) => pieces.push(piece) });
  parser.end(written.replaceAll("<", "&lt;"));
  return pieces.join("");
}

function decodeInAttribute(written: string): string {
  let decoded = written;
  const parser = new Parser({ onattribute: (_name, value) => (decoded = value) });
  parser.end(`<a href="${written.replaceAll('"', "&quot;")}">`);
  return decoded;
}
