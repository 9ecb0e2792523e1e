/** Small attachments that are very large when they are decoded. */
import { deflateRawSync, deflateSync } from "node:zlib";

/** Returns a small archive with a file of 20 MB of zeros. */
export function zipBomb(): Buffer {
  const content = deflateRawSync(Buffer.alloc(20_000_000));
  const header = Buffer.alloc(30);
  header.write("PK\x03\x04", "latin1");
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(content.length, 18);
  header.writeUInt32LE(20_000_000, 22);
  header.writeUInt16LE(1, 26);
  return Buffer.concat([header, Buffer.from("a"), content]);
}

/** Returns a small image file of 30,000 × 30,000 pixels. */
export function pngBomb(): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(30_000, 0);
  size.writeUInt32BE(30_000, 4);
  size.set([1, 0, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const pixels = deflateSync(Buffer.alloc(3751 * 3000));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", size), chunk("IDAT", pixels)]);
}
