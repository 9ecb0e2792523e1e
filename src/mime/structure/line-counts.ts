import type { Source } from "../source.ts";
import type { StructureRange } from "./structure.ts";

/**
 * Counts the lines of ranges, with a last one that has no line end. Bytes within several ranges are read once, and bytes
 * outside of all ranges are not read.
 */
export function countLines(source: Source, ranges: readonly StructureRange[]): readonly number[] {
  const counted = ranges.filter(({ start, end }) => end > start);
  const edges = counted.flatMap(({ start, end }) => [
    { at: start, depth: 1 },
    { at: end, depth: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at);
  /** Offset → line ends before it, of those that were counted. */
  const before = new Map<number, number>();
  let [position, depth, lineEndCount] = [0, 0, 0];
  for (const edge of edges) {
    if (depth > 0) lineEndCount += lineEndsIn(source, position, edge.at);
    before.set(edge.at, lineEndCount);
    depth += edge.depth;
    position = edge.at;
  }
  return ranges.map(({ start, end }) => {
    if (end <= start) return 0;
    const count = (before.get(end) ?? 0) - (before.get(start) ?? 0);
    return source.raw[end - 1] === source.eol ? count : count + 1;
  });
}

function lineEndsIn({ raw, eol }: Source, start: number, end: number): number {
  const bytes = raw.subarray(start, end);
  let count = 0;
  for (let at = bytes.indexOf(eol); at !== -1; at = bytes.indexOf(eol, at + 1)) count += 1;
  return count;
}
