/** Files and patches that a text contains, whose lines have words with the form of a code. */

type Block = "file" | "armour" | "patch";

const quoteLengthMax = 20;
const quotes = `[> \\t]{0,${quoteLengthMax}}`;
const quotesBefore = new RegExp(`^${quotes}`);
/** `begin 644 report.pdf`, and `begin-base64` (POSIX uuencode). */
const fileStart = new RegExp(`^${quotes}begin(?:-base64)? [0-7]{3,4} \\S`, "m");
/** Start of PGP or PEM armour, except that of signed text. */
const armourStart = new RegExp(`^${quotes}-----BEGIN (?!PGP SIGNED)[A-Z0-9 ]{1,60}-----`, "m");
/** Full line of uuencode: `M` and 60 characters, or fewer where blanks at the end were lost. */
const fullLine = new RegExp(`^${quotes}M[\\x20-\\x60]{50,60}$`, "m");
const fullLineHere = new RegExp(fullLine.source, "my");
/** Start of a patch of git, or one of its lines alone: `index 587be6b..b77b4eb 100644`. */
const patchStart = new RegExp(`^${quotes}(?:diff --git \\S|index [0-9a-f]{7,64}\\.\\.[0-9a-f]{7,64}(?: |$))`, "m");
const patchMarks = ["diff --git ", "\nindex ", "> index "];
/** Line within a patch: of its header, or the start of one of a hunk. */
const patchLine =
  /^(?:[> \r]*$|(?:> ?)*(?:[ +\\-]|@@ |(?:index|similarity index|rename|copy|(?:new|deleted) file mode|(?:old|new) mode) ))/;
const base64Line = /^[A-Za-z0-9+/]{1,100}={0,3}$/;
const armourField = /^(?:[A-Z][A-Za-z-]{1,20}: |-----END |=[A-Za-z0-9+/]{4}$)/;
/** Blanks at the end of a line of uuencode that a mailer may have removed. */
const lostBlankCountMax = 8;

/**
 * Returns a text whose lines of uuencode, of PGP or PEM armour and of patches are empty. A file begins with its first line, or with a full
 * line where it was split over several mails, and ends with the first line that is not in its encoding. Linear.
 */
export function withoutEncodedBlocks(text: string): string {
  if (!mayHaveBlocks(text)) return text;
  let block: Block | null = null;
  const lines = text.split("\n").map((line) => {
    const isStart: Block | null = startOf(line);
    block = isStart ?? (isWithin(block, line) ? block : null);
    return block === null ? line : "";
  });
  return lines.join("\n");
}

function mayHaveBlocks(text: string): boolean {
  return (
    (text.includes("begin") && fileStart.test(text)) ||
    (text.includes("-----BEGIN ") && armourStart.test(text)) ||
    ((text.startsWith("index ") || patchMarks.some((mark) => text.includes(mark))) && patchStart.test(text)) ||
    hasFullLine(text)
  );
}

/** Whether a line, quoted or not, is a full one. Only lines that may begin with `M` are compared. */
function hasFullLine(text: string): boolean {
  if (isFullLineAt(text, 0)) return true;
  for (const mark of ["\nM", "> M"]) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      const lineStart = text.slice(Math.max(0, at - quoteLengthMax), at + 1).lastIndexOf("\n");
      if (lineStart >= 0 && isFullLineAt(text, Math.max(0, at - quoteLengthMax) + lineStart + 1)) return true;
    }
  }
  return false;
}

function isFullLineAt(text: string, lineStart: number): boolean {
  fullLineHere.lastIndex = lineStart;
  return fullLineHere.test(text);
}

function startOf(line: string): Block | null {
  if (fileStart.test(line) || fullLine.test(line)) return "file";
  if (armourStart.test(line)) return "armour";
  return patchStart.test(line) ? "patch" : null;
}

function isWithin(block: Block | null, quoted: string): boolean {
  if (block === null) return false;
  if (block === "patch") return patchLine.test(quoted);
  const line = quoted.replace(quotesBefore, "").trimEnd();
  if (line === "" || base64Line.test(line)) return true;
  return block === "armour" ? armourField.test(line) : line === "end" || line === "====" || isUuencoded(line);
}

/** Returns whether a line has the characters of uuencode, and as many as its first one says. */
function isUuencoded(line: string): boolean {
  if (!/^[\x20-\x60]{1,100}$/.test(line)) return false;
  const declared = 4 * Math.ceil(((line.charCodeAt(0) - 32) & 63) / 3);
  return line.length - 1 <= declared + 1 && line.length - 1 >= declared - lostBlankCountMax;
}
