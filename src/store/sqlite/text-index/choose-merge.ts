import type { Segment } from "./segments.ts";

/** Adjacent segments that are merged at once, however small they are. */
const mergedSegmentCountMax = 16;

/** Returns the oldest adjacent small segments that are large enough together; undefined when there are none. */
export function chooseMerge(segments: readonly Segment[], messageCountMax: number): readonly Segment[] | undefined {
  let chosen: Segment[] = [];
  let messageCount = 0;
  for (const segment of segments) {
    const isSmall = segment.size * 2 <= messageCountMax;
    const previous = chosen.at(-1);
    const follows = previous?.lastSequence === segment.firstSequence - 1;
    if (!isSmall || !follows) {
      chosen = [];
      messageCount = 0;
    }
    if (!isSmall) continue;
    chosen.push(segment);
    messageCount += segment.size;
    const isEnough = messageCount * 4 > messageCountMax * 3 || chosen.length >= mergedSegmentCountMax;
    if (isEnough && chosen.length > 1) return chosen;
  }
  return undefined;
}
