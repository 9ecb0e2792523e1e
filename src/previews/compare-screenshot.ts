/** Comparison of the screenshot of a mail with its baseline. */
import type { ShownPicture } from "./browser.ts";
import { ownFamily } from "./browser-fonts.ts";
import { comparePictures } from "./compare-pictures.ts";
import { describeScreenshot, nameRegions } from "./describe-screenshot.ts";
import { readPngHeader } from "./png.ts";
import type { ComparedScreenshot, ScreenshotComparison } from "./worker-messages.ts";

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
