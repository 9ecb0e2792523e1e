import { describe, expect, test } from "vitest";
import { comparePictures } from "./compare-pictures.ts";
import { describeScreenshot, nameRegions, type TextLine } from "./compare-screenshot.ts";
import { decodePng, encodePng } from "./png.ts";

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a white picture with black rectangles. */
function picture(width: number, height: number, ...spots: readonly Spot[]): Buffer {
  const bytes = new Uint8Array(width * height * 4).fill(255);
  for (const spot of spots)
    for (let y = spot.y; y < spot.y + spot.height; y += 1)
      for (let x = spot.x; x < spot.x + spot.width; x += 1) bytes.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  return encodePng({ width, height, bytes });
}

const line = (text: string, y: number): TextLine => ({ text, x: 10, y, width: 100, height: 12 });
const header = { x: 10, y: 10, width: 60, height: 10 };
const footer = { x: 30, y: 150, width: 20, height: 10 };

describe("comparePictures", () => {
  test("finds no difference in equal pictures", () => {
    const compared = comparePictures(picture(200, 200, header), picture(200, 200, header), 0.1);
    expect(compared).toMatchObject({ changedPixels: 0, changedRatio: 0, boxes: [] });
  });

  test("returns the parts that differ, from the top", () => {
    const compared = comparePictures(picture(200, 200, header, footer), picture(200, 200), 0.1);
    expect(compared).toMatchObject({ changedPixels: 800, changedRatio: 0.02, boxes: [header, footer] });
  });

  test("joins parts that are near each other, not across the edges", () => {
    const near = { x: 100, y: 10, width: 5, height: 5 };
    const far = { x: 195, y: 10, width: 5, height: 5 };
    const next = { x: 0, y: 20, width: 5, height: 5 };
    const parts = [{ ...header, x: 64, width: 20 }, near, far, next];
    const compared = comparePictures(picture(200, 200, ...parts), picture(200, 200), 0.1);
    expect(compared?.boxes.map(({ x, width }) => [x, width])).toEqual([
      [64, 41],
      [195, 5],
      [0, 5],
    ]);
  });

  test("leaves out differences of colour up to the threshold", () => {
    const grey = (value: number): Buffer =>
      encodePng({ width: 9, height: 9, bytes: new Uint8Array(9 * 9 * 4).fill(value) });
    expect(comparePictures(grey(200), grey(198), 0.1)?.changedPixels).toBe(0);
    expect(comparePictures(grey(200), grey(198), 0)?.changedPixels).toBe(81);
    expect(comparePictures(grey(200), grey(100), 0.1)?.changedPixels).toBe(81);
  });

  test("counts what is beyond the edge of the smaller picture", () => {
    const compared = comparePictures(picture(100, 120), picture(100, 100), 0.1);
    expect(compared).toMatchObject({ baseline: { width: 100, height: 100 }, changedPixels: 2000 });
    expect(compared?.boxes).toEqual([{ x: 0, y: 100, width: 100, height: 20 }]);
  });

  test("draws changed pixels in red over a pale picture", () => {
    const compared = comparePictures(picture(200, 200, header, footer), picture(200, 200, header), 0.1);
    const drawn = decodePng(compared?.draw() ?? new Uint8Array());
    const at = (x: number, y: number): readonly number[] => [
      ...(drawn?.bytes.subarray((y * 200 + x) * 4, (y * 200 + x) * 4 + 3) ?? []),
    ];
    expect([at(35, 155), at(20, 15), at(0, 0)]).toEqual([
      [230, 0, 0],
      [191, 191, 191],
      [255, 255, 255],
    ]);
  });

  test("returns null for a baseline that is no PNG", () => {
    expect(comparePictures(picture(9, 9), Buffer.from("no PNG"), 0.1)).toBeNull();
  });
});

describe("nameRegions", () => {
  test("names the texts within a part, or else the nearest one", () => {
    const lines = [line("Hello  Ada", 10), line("Bye", 100)];
    const texts = nameRegions([header, footer, { x: 0, y: 0, width: 200, height: 200 }], lines).map(({ text }) => text);
    expect(texts).toEqual(["Hello Ada", "Bye", "Hello Ada Bye"]);
    expect(nameRegions([header], [])).toEqual([{ ...header, text: null }]);
  });
});

describe("describeScreenshot", () => {
  test("names sizes, pixels and the first five parts", () => {
    const compared = { baseline: { width: 200, height: 100 }, changedPixels: 600, changedRatio: 0.015 };
    const regions = Array.from({ length: 7 }, () => ({ ...header, text: "Hello" }));
    const words = describeScreenshot(compared, { width: 200, height: 120 }, [{ ...footer, text: null }, ...regions]);
    expect(words).toBe(
      `The picture is 200 × 120 pixels instead of 200 × 100. 600 pixels differ (1.50 %): 20 × 10 at 30, 150, ${Array.from({ length: 4 }, () => 'near "Hello" (60 × 10 at 10, 10)').join(", ")}, and 3 more`,
    );
  });
});
