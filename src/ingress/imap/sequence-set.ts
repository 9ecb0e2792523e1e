/** Number of a message, or `*` for the greatest one of the mailbox. */
export type SequenceNumber = number | "*";

/** Range of a sequence set; the ends are in any order (RFC 9051 section 9, `seq-range`). */
export interface SequenceRange {
  readonly first: SequenceNumber;
  readonly last: SequenceNumber;
}

/** Ranges of one sequence set. */
const rangeCountMax = 1000;
const numberMax = 2 ** 32 - 1;

/** Reads a sequence set; undefined when it is malformed or has more than 1000 ranges. */
export function readSequenceSet(text: string): readonly SequenceRange[] | undefined {
  const parts = text.split(",", rangeCountMax + 1);
  if (parts.length > rangeCountMax) return undefined;
  const ranges = parts.map(readRange);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

function readRange(text: string): SequenceRange | undefined {
  const [first, last, ...rest] = text.split(":").map(readNumber);
  if (first === undefined || rest.length > 0) return undefined;
  if (!text.includes(":")) return { first, last: first };
  return last === undefined ? undefined : { first, last };
}

function readNumber(text: string): SequenceNumber | undefined {
  if (text === "*") return "*";
  if (!/^[1-9]\d{0,9}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= numberMax ? number : undefined;
}

/** Range of numbers, both ends included. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the ranges of a set in ascending order, without overlaps; `*` is `greatest`. */
export function resolveSequenceSet(ranges: readonly SequenceRange[], greatest: number): readonly NumberRange[] {
  const valueOf = (number: SequenceNumber): number => (number === "*" ? greatest : number);
  const ordered = ranges
    .map(({ first, last }) => ({
      first: Math.min(valueOf(first), valueOf(last)),
      last: Math.max(valueOf(first), valueOf(last)),
    }))
    .toSorted((a, b) => a.first - b.first);
  const merged: NumberRange[] = [];
  for (const range of ordered) {
    const previous = merged.at(-1);
    if (previous === undefined || range.first > previous.last + 1) merged.push(range);
    else merged[merged.length - 1] = { first: previous.first, last: Math.max(previous.last, range.last) };
  }
  return merged;
}

/** Returns ascending numbers as a sequence set; "" for none. */
export function formatSequenceSet(numbers: Iterable<number>): string {
  const ranges: string[] = [];
  let first = 0;
  let last = 0;
  const finish = (): void => {
    if (first > 0) ranges.push(first === last ? `${first}` : `${first}:${last}`);
  };
  for (const number of numbers) {
    if (first === 0 || number !== last + 1) {
      finish();
      first = number;
    }
    last = number;
  }
  finish();
  return ranges.join(",");
}
