/** The only importer of pixelmatch, which leaves out pixels that differ by their anti-aliasing. */
import pixelmatch from "pixelmatch";
import { decodePng, encodePng, type Pixels } from "./png.ts";

/** Comparison of two pictures. */
export interface PictureComparison {
  readonly baseline: PictureSize;
  readonly changedPixels: number;
  readonly changedRatio: number;
  /** Parts that differ, from the top; at most 20, with those that are near each other in one. */
  readonly boxes: readonly Box[];
  /** Returns a PNG of the picture in pale colours, with the changed pixels in red. */
  readonly draw: () => Uint8Array;
}

/** Size in pixels. */
export type PictureSize = Pick<Pixels, "width" | "height">;

/** Rectangle of a picture, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Side of the squares that changed pixels are counted in; squares that touch are one part. */
const squareSide = 16;
const boxCountMax = 20;
/** Colour beyond the edges of the smaller picture, which mails rarely have. */
const outside = [255, 0, 254, 255] as const;

/** Compares a picture, a PNG, with a baseline; returns null when the baseline cannot be read. */
export function comparePictures(
  picture: Uint8Array,
  baseline: Uint8Array,
  threshold: number,
): PictureComparison | null {
  const known = decodePng(baseline);
  const actual = known === null ? null : decodePng(picture);
  if (known === null || actual === null) return null;
  const size = { width: Math.max(known.width, actual.width), height: Math.max(known.height, actual.height) };
  const { width, height } = size;
  const [one, other] = [extend(actual, size), extend(known, size)];
  const changed = new Uint8Array(width * height * 4);
  const changedPixels = pixelmatch(one, other, changed, width, height, { threshold, diffMask: true });
  return {
    baseline: { width: known.width, height: known.height },
    changedPixels,
    changedRatio: changedPixels / (width * height),
    boxes: changedPixels === 0 ? [] : boxesOf(changed, size),
    draw: () => encodePng({ ...size, bytes: drawOver(one, changed) }),
  };
}

function extend({ width, height, bytes }: Pixels, size: PictureSize): Uint8Array {
  if (width === size.width && height === size.height) return bytes;
  const extended = new Uint8Array(size.width * size.height * 4);
  for (let at = 0; at < extended.length; at += 4) extended.set(outside, at);
  for (let y = 0; y < height; y += 1)
    extended.set(bytes.subarray(y * width * 4, (y + 1) * width * 4), y * size.width * 4);
  return extended;
}

function drawOver(picture: Uint8Array, changed: Uint8Array): Uint8Array {
  const drawn = new Uint8Array(picture.length);
  for (let at = 0; at < picture.length; at += 4) {
    const isChanged = changed[at + 3] !== 0;
    for (let sample = 0; sample < 3; sample += 1) {
      const pale = 255 - (255 - (picture[at + sample] ?? 0)) / 4;
      drawn[at + sample] = isChanged ? (sample === 0 ? 230 : 0) : pale;
    }
    drawn[at + 3] = 255;
  }
  return drawn;
}

interface Square {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Returns the parts with changed pixels. */
function boxesOf(changed: Uint8Array, { width, height }: PictureSize): readonly Box[] {
  const columns = Math.ceil(width / squareSide);
  const squares = new Map<number, Square>();
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (changed[(y * width + x) * 4 + 3] === 0) continue;
      const at = Math.floor(y / squareSide) * columns + Math.floor(x / squareSide);
      const square = squares.get(at);
      if (square === undefined) squares.set(at, { left: x, top: y, right: x, bottom: y });
      else grow(square, { left: x, top: y, right: x, bottom: y });
    }
  }
  const boxes = joinSquares(squares, columns).map(({ left, top, right, bottom }) => {
    return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  });
  return boxes.toSorted((one, other) => one.y - other.y || one.x - other.x).slice(0, boxCountMax);
}

/** Rows and columns of squares that are joined with one. */
const neighbours = [-1, 0, 1].flatMap((row) => [-2, -1, 0, 1, 2].map((column) => [row, column] as const));

/** Joins squares that touch, also by a corner or over one square in their row. Empties the map. */
function joinSquares(squares: Map<number, Square>, columns: number): readonly Square[] {
  const takeNeighbours = (at: number): readonly (readonly [number, Square])[] => {
    const found = neighbours.flatMap(([row, column]) => {
      const isInRow = (at % columns) + column >= 0 && (at % columns) + column < columns;
      const next = at + row * columns + column;
      const square = isInRow ? squares.get(next) : undefined;
      return square === undefined ? [] : [[next, square] as const];
    });
    for (const [next] of found) squares.delete(next);
    return found;
  };
  const parts: Square[] = [];
  for (const [first, part] of squares) {
    squares.delete(first);
    const waiting = [first];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const [next, square] of takeNeighbours(at)) {
        grow(part, square);
        waiting.push(next);
      }
    }
    parts.push(part);
  }
  return parts;
}

function grow(square: Square, { left, top, right, bottom }: Square): void {
  square.left = Math.min(square.left, left);
  square.top = Math.min(square.top, top);
  square.right = Math.max(square.right, right);
  square.bottom = Math.max(square.bottom, bottom);
}
