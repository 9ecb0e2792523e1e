/** Reads and writes PNG (W3C PNG Third Edition): bounded, in linear time. */
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { baselinePixelsMax } from "../core/snapshot.ts";

/** Pixels of a picture: red, green, blue and alpha of each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** Declarations in the header of a PNG. */
interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly channels: number;
  readonly isIndexed: boolean;
}

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const headerLength = 33;
/** Samples of a pixel by colour type (table 8). */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Pixels on a side: more than any screenshot has. */
const sideMax = 16_384;

/** Returns the header of a PNG that {@link decodePng} reads: at most 16 megapixels, 8 bits or less, not interlaced. Else null. */
export function readPngHeader(png: Uint8Array): PngHeader | null {
  const view = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  if (view.length < headerLength || !view.subarray(0, 8).equals(signature)) return null;
  if (view.readUInt32BE(8) !== 13 || view.toString("latin1", 12, 16) !== "IHDR") return null;
  const [width, height, depth, type] = [view.readUInt32BE(16), view.readUInt32BE(20), view[24] ?? 0, view[25] ?? 0];
  const channels = channelsOf[type];
  const isInterlaced = view[28] !== 0;
  if (channels === undefined || isInterlaced || !isBounded(width, height) || !isDepth(depth, type)) return null;
  return { width, height, depth, channels, isIndexed: type === 3 };
}

function isBounded(width: number, height: number): boolean {
  return Math.min(width, height) > 0 && Math.max(width, height) <= sideMax && width * height <= baselinePixelsMax;
}

/** Less than eight bits are for grey and palettes only (table 9). */
function isDepth(depth: number, type: number): boolean {
  return depth === 8 || ([1, 2, 4].includes(depth) && (type === 0 || type === 3));
}

/** Returns the pixels of a PNG; null for anything that {@link readPngHeader} does not accept, and for damaged files. */
export function decodePng(png: Uint8Array): Pixels | null {
  const header = readPngHeader(png);
  if (header === null) return null;
  const chunks = chunksOf(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
  const { width, height, depth, channels } = header;
  const rowLength = Math.ceil((width * channels * depth) / 8);
  const length = (rowLength + 1) * height;
  let rows: Buffer;
  try {
    rows = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ content }) => content)), {
      maxOutputLength: length,
    });
  } catch {
    // Not deflated, or longer than the header declares.
    return null;
  }
  if (rows.length !== length || !unfilter(rows, rowLength, Math.max(1, (channels * depth) >> 3))) return null;
  const palette = chunks.find(({ type }) => type === "PLTE")?.content ?? null;
  if (header.isIndexed && palette === null) return null;
  return { width, height, bytes: toColours(rows, rowLength, { ...header, palette }) };
}

/** Returns a PNG of the pixels, without their alpha. */
export function encodePng({ width, height, bytes }: Pixels): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    if (at % (width * 4) === 0) to += 1;
    rows[to++] = bytes[at] ?? 0;
    rows[to++] = bytes[at + 1] ?? 0;
    rows[to++] = bytes[at + 2] ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const content = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...content]);
}

interface Chunk {
  readonly type: string;
  readonly content: Buffer;
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), content: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(content.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

/** Reverses the filters of all rows in place (§9); returns false for an unknown filter. */
function unfilter(rows: Buffer, rowLength: number, step: number): boolean {
  const none = Buffer.alloc(rowLength);
  for (let start = 0, before: Buffer = none; start < rows.length; start += rowLength + 1) {
    const row = rows.subarray(start + 1, start + 1 + rowLength);
    const filter = rows[start] ?? 0;
    if (filter > 4) return false;
    if (filter > 0) unfilterRow(row, before, { filter, step });
    before = row;
  }
  return true;
}

function unfilterRow(
  row: Buffer,
  before: Buffer,
  { filter, step }: { readonly filter: number; readonly step: number },
): void {
  for (let at = 0; at < row.length; at += 1) {
    const left = at < step ? 0 : (row[at - step] ?? 0);
    const up = before[at] ?? 0;
    const predicted =
      filter === 1
        ? left
        : filter === 2
          ? up
          : filter === 3
            ? (left + up) >> 1
            : nearest(left, up, at < step ? 0 : (before[at - step] ?? 0));
    row[at] = (row[at] ?? 0) + predicted;
  }
}

/** Returns the neighbour that is nearest to their linear prediction (§9.4, Paeth). */
function nearest(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

type Samples = PngHeader & { readonly palette: Buffer | null };

function toColours(rows: Buffer, rowLength: number, samples: Samples): Uint8Array {
  const { width, height, channels } = samples;
  const bytes = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1) {
    const row = rows.subarray(y * (rowLength + 1) + 1, (y + 1) * (rowLength + 1));
    const to = bytes.subarray(y * width * 4, (y + 1) * width * 4);
    if (channels >= 3) copyColours(row, to, channels);
    else expandGrey(row, to, samples);
  }
  return bytes;
}

function copyColours(row: Buffer, to: Uint8Array, channels: number): void {
  for (let from = 0, at = 0; from < row.length; from += channels, at += 4)
    for (let sample = 0; sample < channels; sample += 1) to[at + sample] = row[from + sample] ?? 0;
}

/** Writes the colours of grey pixels and of those of a palette. */
function expandGrey(row: Buffer, to: Uint8Array, { depth, channels, isIndexed, palette }: Samples): void {
  const max = 2 ** depth - 1;
  for (let at = 0, bit = 0; at < to.length; at += 4, bit += channels * depth) {
    const value = ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & max;
    const colour = isIndexed ? palette?.subarray(value * 3, value * 3 + 3) : undefined;
    to.set(colour ?? Array<number>(3).fill((value * 255) / max), at);
    if (channels === 2) to[at + 3] = row[(bit >> 3) + 1] ?? 0;
  }
}
