/** Differences of a screenshot in words. */
import type { ChangedRegion } from "../core/snapshot.ts";
import type { Box, PictureComparison, PictureSize } from "./compare-pictures.ts";

/** Line of text of a page, and its place in the picture. */
export interface TextLine extends Box {
  readonly text: string;
}

const textLengthMax = 100;
const describedCountMax = 5;

/** Adds the text in each box, or else the nearest one above or below it; null on a page without text. */
export function nameRegions(boxes: readonly Box[], lines: readonly TextLine[]): readonly ChangedRegion[] {
  return boxes.map((box) => {
    const within = lines.filter((line) => gap(box, line) === 0).map(({ text }) => text);
    const nearest = within.length > 0 ? within : textOf(lines, box);
    const text = nearest.join(" ").replaceAll(/\s+/g, " ").trim();
    return { ...box, text: text === "" ? null : text.slice(0, textLengthMax).toWellFormed() };
  });
}

function textOf(lines: readonly TextLine[], box: Box): readonly string[] {
  const [first, ...others] = lines;
  if (first === undefined) return [];
  return [others.reduce((best, line) => (gap(box, line) < gap(box, best) ? line : best), first).text];
}

/** Returns the distance of two rectangles in pixels. */
function gap(one: Box, other: Box): number {
  const across = Math.max(0, one.x - other.x - other.width, other.x - one.x - one.width);
  const down = Math.max(0, one.y - other.y - other.height, other.y - one.y - one.height);
  return Math.hypot(across, down);
}

/** Returns what differs in one sentence for the size and one for the pixels. */
export function describeScreenshot(
  { baseline, changedPixels, changedRatio }: Pick<PictureComparison, "baseline" | "changedPixels" | "changedRatio">,
  { width, height }: PictureSize,
  regions: readonly ChangedRegion[],
): string {
  const size = `${String(width)} × ${String(height)}`;
  const resized =
    width === baseline.width && height === baseline.height
      ? ""
      : `The picture is ${size} pixels instead of ${String(baseline.width)} × ${String(baseline.height)}. `;
  const shown = regions.slice(0, describedCountMax).map((region) => {
    const place = `${String(region.width)} × ${String(region.height)} at ${String(region.x)}, ${String(region.y)}`;
    return region.text === null ? place : `near ${JSON.stringify(region.text)} (${place})`;
  });
  const more = regions.length > shown.length ? `, and ${String(regions.length - shown.length)} more` : "";
  const ratio = `${(changedRatio * 100).toFixed(2)} %`;
  return `${resized}${String(changedPixels)} pixels differ (${ratio}): ${shown.join(", ")}${more}`;
}
