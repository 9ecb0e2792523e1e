/** The part of a reply that its author wrote: without quoted earlier messages and without the signature. */
import { analysedText } from "./analysed-text.ts";
import { replyLineCountMax, attributeItemCountMax } from "./bounds.ts";
import { scanHtml, type StartTag } from "./html-scanner.ts";

/** Reply divided into its own text and the author's signature; both trimmed. */
interface ReplyText {
  readonly text: string;
  /** "" without one. */
  readonly signature: string;
}

/** Longest line, in UTF-16 units, that can be more than text. */
const lineLengthMax = 400;
/** Lines over which an attribution may be wrapped. */
const attributionLineCountMax = 3;
/** Lines after a From line in which another field of a quoted header section stands. */
const headerLineCountMax = 3;

const dividers: readonly RegExp[] = [
  /^[-_=]{2,} ?(?:original (?:message|appointment)|forwarded message|begin forwarded message)\b/i,
  /^[-_=]{2,} ?(?:ursprüngliche nachricht|weitergeleitete nachricht|message d['’]origine|message transféré)/i,
  /^[-_=]{2,} ?(?:mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht)/i,
  /^[-_=]{2,} ?(?:oprindelig meddelelse|ursprungligt meddelande|oryginalna wiadomość|исходное сообщение)/i,
  /^(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié)\s*:$/i,
];
/** Fields that begin a quoted header section, and those that follow. Names may be bold: `*From:*`. */
const fromField = /^\*?(?:from|von|de|da|van|fra|från|od|от)\s?:\*? /i;
const otherField =
  /^\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|objet|à|enviado|para|asunto|assunto|inviato|data|a|oggetto|verzonden|aan|onderwerp|sendt|til|skickat|till|wysłano|do|отправлено|кому)\s?:/i;

/** Starts and ends of the line before a quotation. */
const attributions: readonly (readonly [start: RegExp, end: RegExp])[] = [
  [/^on\b/i, /\bwrote\s?:$/i],
  [/^am\b/i, /\bschrieb(?: .{1,200})?:$/i],
  [/^le\b/i, / écrit\s?:$/i],
  [/^el\b/i, /\bescribió\s?:$/i],
  [/^il\b/i, /\bscritto\s?:$/i],
  [/^(?:em|a)\b/i, /\bescreveu\s?:$/i],
  [/^op\b/i, /\bschreef(?: .{1,200})?:$/i],
  [/^(?:den|på)\b/i, /\b(?:skrev|skrifaði)(?: .{1,200})?:$/i],
  [/^w dniu\b/i, /\bnapisał(?:a|\(a\))?\s?:$/i],
  [/\d{4}/, /(?:написал(?:а|\(а\))?|пишет)\s?:$/i],
  [/^(?=.*<[^<>\s]+@[^<>\s]+>)/, /\bwrote\s?:$/i],
  [/^\d{4}-\d{2}-\d{2} \d{1,2}:\d{2}/, /<[^<>\s]+@[^<>\s]+>\s?:$/],
];
const signatureStart =
  /^(?:--|—|(?:sent from (?:my|mail for|outlook|yahoo|proton)|gesendet (?:von mein|mit)|von mein|envoyé (?:de mon|depuis)|enviado d[eo]|inviato da|verzonden vanaf|get outlook for).{0,80})$/i;

/**
 * Divides the text of a reply. Lines that start with `>` and the attribution before them are removed, so that text between
 * quotations remains; everything after the divider or the header section of a quoted message is removed. The signature
 * starts at a line `-- ` (RFC 3676 §4.3) or at the advertisement of an email client. Takes time linear in the length. What
 * follows the bounds of {@link analysedText} and `replyLineCountMax` is left out.
 */
export function splitReply(text: string): ReplyText {
  const lines = analysedText(text).split(/\r\n|\n|\r/, replyLineCountMax);
  const own: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = shortLine(lines, at);
    if (isDivider(line) || isHeaderSection(lines, at)) break;
    const count = line.startsWith(">") ? 1 : attributionLineCount(lines, at);
    if (count === 0) own.push(lines[at] ?? "");
    at += Math.max(1, count);
  }
  const start = own.findIndex((_line, at) => signatureStart.test(shortLine(own, at)));
  if (start === -1) return { text: own.join("\n").trim(), signature: "" };
  return { text: own.slice(0, start).join("\n").trim(), signature: own.slice(start).join("\n").trim() };
}

/** Returns a line without blanks around it; "" for one that is too long. */
function shortLine(lines: readonly string[], at: number): string {
  const line = lines[at] ?? "";
  return line.length > lineLengthMax ? "" : line.trim();
}

function isDivider(line: string): boolean {
  return dividers.some((divider) => divider.test(line));
}

function isHeaderSection(lines: readonly string[], at: number): boolean {
  if (!fromField.test(shortLine(lines, at))) return false;
  for (let next = at + 1; next <= at + headerLineCountMax; next += 1) {
    if (otherField.test(shortLine(lines, next))) return true;
  }
  return false;
}

/** Returns the number of lines of the attribution that starts here; 0 when none does. */
function attributionLineCount(lines: readonly string[], at: number): number {
  let joined = "";
  for (let count = 1; count <= attributionLineCountMax; count += 1) {
    const line = shortLine(lines, at + count - 1);
    if (line === "" || line.startsWith(">")) return 0;
    joined = count === 1 ? line : `${joined} ${line}`;
    if (joined.length > lineLengthMax) return 0;
    const isEnd = joined.endsWith(":") && attributions.some(([start, end]) => start.test(joined) && end.test(joined));
    if (isEnd) return count;
  }
  return 0;
}

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
