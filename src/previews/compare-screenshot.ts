/** Comparison of the screenshot of a mail with its baseline. */
import type { MaskedValue, ChangedRegion, ScreenshotReport } from "../core/snapshot.ts";
import type { ShownPicture } from "./browser.ts";
import { ownFamily } from "./browser-fonts.ts";
import { type Box, comparePictures, type PictureComparison, type PictureSize } from "./compare-pictures.ts";
import { readPngHeader } from "./png.ts";

/** Baseline that a screenshot is compared with. */
export interface ScreenshotComparison {
  readonly masked: readonly MaskedValue[];
  /** PNG; null where there is none yet. */
  readonly baseline: Uint8Array | null;
  readonly threshold: number;
  readonly maxChangedPixels: number;
}

/** Screenshot that was compared. */
export interface ComparedScreenshot extends Omit<ScreenshotReport, "client" | "picture" | "difference"> {
  /** PNG. */
  readonly picture: Uint8Array;
  /** PNG; null for a match and without a baseline. */
  readonly difference: Uint8Array | null;
}

/** Line of text of a page, and its place in the picture. */
export interface TextLine extends Box {
  readonly text: string;
}

/** Compares the picture of a page; returns null when the baseline is no readable PNG. */
export async function compareScreenshot(
  { png: picture, readLines, readFonts }: ShownPicture,
  { baseline, threshold, maxChangedPixels }: Omit<ScreenshotComparison, "masked">,
): Promise<ComparedScreenshot | null> {
  const { width, height } = readPngHeader(picture) ?? { width: 0, height: 0 };
  const usesMachineFonts = (await readFonts()).some((family) => !family.startsWith(ownFamily));
  const unchanged = { width, height, changedPixels: 0, changedRatio: 0, regions: [], picture, usesMachineFonts };
  if (baseline === null)
    return { ...unchanged, isMatch: false, reason: "There is no baseline to compare with", difference: null };
  // The same browser writes the same bytes.
  if (Buffer.compare(picture, baseline) === 0) return { ...unchanged, isMatch: true, reason: null, difference: null };
  const compared = comparePictures(picture, baseline, threshold);
  if (compared === null) return null;
  const { changedPixels, changedRatio, boxes, draw } = compared;
  const isResized = width !== compared.baseline.width || height !== compared.baseline.height;
  const isMatch = !isResized && changedPixels <= maxChangedPixels;
  if (isMatch) return { ...unchanged, changedPixels, changedRatio, isMatch, reason: null, difference: null };
  const regions = nameRegions(boxes, await readLines());
  const machineFonts = usesMachineFonts ? ". Some characters were drawn with fonts of the machine" : "";
  const reason = describeScreenshot(compared, { width, height }, regions) + machineFonts;
  return { ...unchanged, changedPixels, changedRatio, regions, isMatch, reason, difference: draw() };
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
