/** A quoted line starts with `>` (RFC 3676 §4.5). */
const quotedLine = /^>/;
/** Line that email clients put above a quotation: "On Friday, Mara wrote:". It may be folded into two lines. */
const attribution = /^\S.{0,300}:$/;

/** Splits a text into its own part and the quotation at its end; either may be "". Takes linear time. */
export function splitQuoted(text: string): { readonly own: string; readonly quoted: string } {
  const lines = text.split(/\r?\n/);
  let end = lines.length;
  while (end > 0 && (quotedLine.test(lines[end - 1] ?? "") || lines[end - 1]?.trim() === "")) end -= 1;
  const isQuoting = lines.slice(end).some((line) => quotedLine.test(line));
  if (!isQuoting) return { own: text.trim(), quoted: "" };
  if (attribution.test(lines[end - 1] ?? "")) end -= 1;
  return { own: lines.slice(0, end).join("\n").trim(), quoted: lines.slice(end).join("\n").trim() };
}
