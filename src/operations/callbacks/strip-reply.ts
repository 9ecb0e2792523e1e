/** Removal of quoted earlier messages and signatures from replies, as providers of inbound mail do it. */

/** Text of a reply without what it quotes, and its signature. */
export interface StrippedReply {
  readonly text: string;
  readonly signature: string;
}

const attributionLengthMax = 300;
const markers = [/^-{2,} ?(?:Original|Forwarded) [Mm]essage ?-{2,}$/, /^_{20,}$/, /^From: .+$/];

/**
 * Returns the text before the first quotation: lines that start with `>` and their attribution ("On … wrote:"), or the
 * header of a quoted message. The signature starts at a line `-- ` (RFC 3676 §4.3). Takes time linear in the text.
 */
export function stripReply(text: string): StrippedReply {
  const lines = text.split(/\r?\n/);
  let end = lines.findIndex((line, at) => isQuoteStart(lines, line, at));
  if (end === -1) end = lines.length;
  while (end > 0 && isBlankOrAttribution(lines[end - 1] ?? "")) end -= 1;
  const own = lines.slice(0, end);
  const signatureAt = own.findIndex((line) => line === "-- " || line === "--");
  const textEnd = signatureAt === -1 ? own.length : signatureAt;
  return {
    text: own.slice(0, textEnd).join("\n").trim(),
    signature: own.slice(textEnd).join("\n").trim(),
  };
}

/** Returns the HTML before the first quotation that an email client marks. */
export function strippedHtml(html: string): string {
  const found = /<blockquote\b|<div class="gmail_quote|<div id="appendonsend"/i.exec(html);
  return found === null ? html : html.slice(0, found.index);
}

function isQuoteStart(lines: readonly string[], line: string, at: number): boolean {
  if (line.startsWith(">")) return true;
  if (markers[2]?.test(line) === true) return at > 0 && /^(?:Sent|Date|To): /.test(lines[at + 1] ?? "");
  return markers.slice(0, 2).some((marker) => marker.test(line));
}

function isBlankOrAttribution(line: string): boolean {
  const trimmed = line.trim();
  return trimmed === "" || (trimmed.length <= attributionLengthMax && /^(?:On|Am|Le|El)\b.*:$/.test(trimmed));
}
