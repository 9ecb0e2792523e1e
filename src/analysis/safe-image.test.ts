import fc from "fast-check";
import { expect, test } from "vitest";
import { readImageFormat } from "./safe-image.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const samples = {
  png: latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0"),
  gif: latin1("GIF89a\x80\x02\xe0\x01\0\0\0"),
  jpeg: latin1("\xff\xd8\xff\xe0\0\x04JF\xff\xff\xc4\0\x02\xff\xc2\0\x11\x08\x01\xe0\x02\x80\x03"),
  lossy: latin1("RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01"),
  lossless: latin1(`RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x7f\xc2\x77\0${"\0".repeat(8)}`),
  extended: latin1("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0"),
};

test.each(Object.entries(samples))("returns the type and size of %s", (name, bytes) => {
  const type = name in { png: 0, gif: 0, jpeg: 0 } ? name : "webp";
  expect(readImageFormat(bytes)).toEqual({ contentType: `image/${type}`, width: 640, height: 480 });
});

test.each(Object.entries(samples))("returns undefined for truncated %s", (_name, bytes) => {
  for (let end = 0; end < bytes.length - 3; end += 1) expect(readImageFormat(bytes.subarray(0, end))).toBeUndefined();
});

test.each(["", "<svg>", "%PDF-1.7", "BM\0\0", "\0\0\x01\0", "RIFF\0\0\0\0WAVEfmt ", "\xff\xd8\xff\0\0\0\0\0\0\0\0\0"])(
  "returns undefined for %j",
  (text) => {
    expect(readImageFormat(latin1(text))).toBeUndefined();
  },
);

test("reads large sizes as unsigned numbers", () => {
  const bytes = latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff");
  expect(readImageFormat(bytes)).toMatchObject({ width: 0xffffffff, height: 0xffffffff });
});

test("never throws for any bytes after a known signature", () => {
  const beginnings = fc.constantFrom(
    "",
    ...Object.values(samples).map((bytes) => bytes.toString("latin1").slice(0, 16)),
  );
  fc.assert(
    fc.property(beginnings, fc.uint8Array({ maxLength: 200 }), (beginning, rest) => {
      const format = readImageFormat(Buffer.concat([latin1(beginning), rest]));
      if (format !== undefined) expect(format.width).toBeGreaterThanOrEqual(0);
    }),
  );
});
