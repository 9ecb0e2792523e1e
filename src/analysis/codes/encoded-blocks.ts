/** Files that a text contains in an encoding, whose lines have words with the form of a code. */

type Block = "file" | "armour";

const quotes = String.raw`[> \t]{0,20}`;
/** `begin 644 report.pdf`, and `begin-base64` (POSIX uuencode). */
const fileStart = new RegExp(`^${quotes}begin(?:-base64)? [0-7]{3,4} \\S`, "m");
/** Start of PGP or PEM armour, except that of signed text. */
const armourStart = new RegExp(`^${quotes}-----BEGIN (?!PGP SIGNED)[A-Z0-9 ]{1,60}-----`, "m");
/** Full line of uuencode: `M` and 60 characters, or fewer where blanks at the end were lost. */
const fullLine = new RegExp(`^${quotes}M[\\x20-\\x60]{50,60}$`, "m");
const base64Line = /^[A-Za-z0-9+/]{1,100}={0,3}$/;
const armourField = /^(?:[A-Z][A-Za-z-]{1,20}: |-----END |=[A-Za-z0-9+/]{4}$)/;
/** Blanks at the end of a line of uuencode that a mailer may have removed. */
const lostBlankCountMax = 8;

/**
 * Returns a text whose lines of uuencode and of PGP or PEM armour are empty. A file begins with its first line, or with a full
 * line where it was split over several mails, and ends with the first line that is not in its encoding. Linear.
 */
export function withoutEncodedBlocks(text: string): string {
  if (!mayHaveBlocks(text)) return text;
  let block: Block | null = null;
  const lines = text.split("\n").map((line) => {
    const isStart: Block | null = startOf(line);
    block = isStart ?? (isWithin(block, line.replace(/^[> \t]{0,20}/, "").trimEnd()) ? block : null);
    return block === null ? line : "";
  });
  return lines.join("\n");
}

function mayHaveBlocks(text: string): boolean {
  return (
    (text.includes("begin") && fileStart.test(text)) ||
    (text.includes("-----BEGIN ") && armourStart.test(text)) ||
    ((text.startsWith("M") || text.includes("\nM") || text.includes("> M")) && fullLine.test(text))
  );
}

function startOf(line: string): Block | null {
  if (fileStart.test(line) || fullLine.test(line)) return "file";
  return armourStart.test(line) ? "armour" : null;
}

function isWithin(block: Block | null, line: string): boolean {
  if (block === null) return false;
  if (line === "" || base64Line.test(line)) return true;
  return block === "armour" ? armourField.test(line) : line === "end" || line === "====" || isUuencoded(line);
}

/** Returns whether a line has the characters of uuencode, and as many as its first one says. */
function isUuencoded(line: string): boolean {
  if (!/^[\x20-\x60]{1,100}$/.test(line)) return false;
  const declared = 4 * Math.ceil(((line.charCodeAt(0) - 32) & 63) / 3);
  return line.length - 1 <= declared + 1 && line.length - 1 >= declared - lostBlankCountMax;
}
