/** HTML of a reply without the earlier messages that email clients quote in it. */
import { attributeItemCountMax } from "./bounds.ts";
import { scanHtml, type StartTag } from "./html-scanner.ts";

/** Classes of the elements in which email clients put a quotation or the line before it. */
const quoteClasses: ReadonlySet<string> = new Set([
  "gmail_quote",
  "gmail_quote_container",
  "gmail_extra",
  "yahoo_quoted",
  "moz-cite-prefix",
  "protonmail_quote",
  "zmail_extra",
  "tutanota_quote",
]);
/** Ids of the elements from which on everything is quoted. */
const lastIds: ReadonlySet<string> = new Set([
  "appendonsend",
  "divrplyfwdmsg",
  "mail-editor-reference-message-container",
]);

/** Returns the HTML without quotations; takes time linear in its length and never throws. */
export function withoutQuotedHtml(html: string): string {
  const kept: string[] = [];
  let position = 0;
  let quote: { readonly name: string; depth: number } | null = null;
  let isAtEnd = false;
  const open = (tag: StartTag): void => {
    if (isAtEnd) return;
    if (quote !== null) {
      if (tag.name === quote.name) quote.depth += 1;
      return;
    }
    if (!isQuote(tag)) return;
    kept.push(html.slice(position, tag.start));
    if (isLast(tag)) isAtEnd = true;
    else quote = { name: tag.name, depth: 1 };
    position = html.length;
  };
  const close = (name: string, _start: number, end: number): void => {
    if (isAtEnd || quote?.name !== name) return;
    quote.depth -= 1;
    if (quote.depth > 0) return;
    quote = null;
    position = end;
  };
  scanHtml(html, { text: () => undefined, open, close });
  kept.push(html.slice(position));
  return kept.join("");
}

function isQuote(tag: StartTag): boolean {
  if (tag.name === "blockquote") return true;
  if (tag.name !== "div" && tag.name !== "section" && tag.name !== "table") return false;
  const classes = tag.attribute("class");
  return (
    isLast(tag) ||
    (classes !== undefined && classes.split(/\s+/, attributeItemCountMax).some((one) => quoteClasses.has(one)))
  );
}

function isLast(tag: StartTag): boolean {
  return lastIds.has((tag.attribute("id") ?? "").toLowerCase());
}
