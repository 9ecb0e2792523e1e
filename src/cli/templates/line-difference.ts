/** Differences between texts, line by line. */

/** Lines in which two long texts are compared exactly; beyond, all lines between equal ends count as changed. */
const comparedLineCountMax = 2000;
/** Equal lines that are shown around a difference. */
const contextLineCount = 2;
const shownLineCountMax = 60;

/** Returns the lines that differ, with `-` and `+` in front, and some equal lines around them. */
export function describeDifference(former: string, present: string): string {
  const edits = compareLines(former.split("\n"), present.split("\n"));
  const changedAt = edits.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  const isShown = (at: number): boolean => changedAt.some((changed) => Math.abs(changed - at) <= contextLineCount);
  const lines: string[] = [];
  for (const [at, { sign, line }] of edits.entries()) {
    if (isShown(at)) lines.push(`${sign} ${line}`.trimEnd());
    else if (lines.length > 0 && lines.at(-1) !== "…") lines.push("…");
  }
  if (lines.at(-1) === "…") lines.pop();
  const rest = lines.length - shownLineCountMax;
  return rest <= 0
    ? lines.join("\n")
    : [...lines.slice(0, shownLineCountMax), `… ${String(rest)} more lines`].join("\n");
}

interface Edit {
  readonly sign: "-" | "+" | " ";
  readonly line: string;
}

function compareLines(former: readonly string[], present: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < Math.min(former.length, present.length) && former[start] === present[start]) start += 1;
  let end = 0;
  const endMax = Math.min(former.length, present.length) - start;
  while (end < endMax && former.at(-1 - end) === present.at(-1 - end)) end += 1;
  const equal = (lines: readonly string[]): readonly Edit[] => lines.map((line) => ({ sign: " ", line }));
  const middle = editsOf(former.slice(start, former.length - end), present.slice(start, present.length - end));
  return [...equal(former.slice(0, start)), ...middle, ...equal(former.slice(former.length - end))];
}

/** Returns the length of the longest common subsequence from a line of each text on. */
function commonLengths(former: readonly string[], present: readonly string[]): (row: number, column: number) => number {
  const lengths = Array.from({ length: former.length + 1 }, () => new Uint16Array(present.length + 1));
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = former.length - 1; row >= 0; row -= 1) {
    for (let column = present.length - 1; column >= 0; column -= 1) {
      const isEqual = former[row] === present[column];
      const length = isEqual
        ? lengthAt(row + 1, column + 1) + 1
        : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
      lengths[row]?.fill(length, column, column + 1);
    }
  }
  return lengthAt;
}

/** Returns the shortest edits, by the longest common subsequence. */
function editsOf(former: readonly string[], present: readonly string[]): readonly Edit[] {
  const removed: readonly Edit[] = former.map((line) => ({ sign: "-", line }));
  const added: readonly Edit[] = present.map((line) => ({ sign: "+", line }));
  if (former.length > comparedLineCountMax || present.length > comparedLineCountMax) return [...removed, ...added];
  const lengthAt = commonLengths(former, present);
  const edits: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < former.length || column < present.length) {
    const [own, other] = [former[row], present[column]];
    if (own !== undefined && own === other) {
      edits.push({ sign: " ", line: own });
      row += 1;
      column += 1;
    } else if (other === undefined || (own !== undefined && lengthAt(row + 1, column) >= lengthAt(row, column + 1))) {
      edits.push({ sign: "-", line: own ?? "" });
      row += 1;
    } else {
      edits.push({ sign: "+", line: other });
      column += 1;
    }
  }
  return edits;
}
