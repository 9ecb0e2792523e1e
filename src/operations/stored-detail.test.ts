import fc from "fast-check";
import { expect, test } from "vitest";
import type { Code } from "../core/message.ts";
import { decodeDetail, decodeGlance, encodeDetail, type StoredDetail } from "./stored-detail.ts";

function detailWith(codes: readonly string[], body = ""): StoredDetail {
  const found: readonly Code[] = codes.map((value) => ({ value }));
  const none = { links: [], images: [], body: null };
  const message = { html: { ...none, codes: found }, text: { ...none, codes: found, body } };
  const rest = { htmlParts: [], textParts: [], parts: [], session: null };
  return { message: message as unknown as StoredDetail["message"], ...rest };
}

test("a glance tells codes, none twice, and size, whatever the message says", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), fc.string(), fc.nat(), (codes, body, sizeBytes) => {
      const hostile = [...codes, ',"message":{}', '"},"message":'];
      const bytes = encodeDetail(detailWith(hostile, body), sizeBytes);
      expect(decodeGlance(bytes)).toEqual({ codes: [...new Set(hostile)], sizeBytes });
      expect(decodeDetail(bytes).message.text.body).toBe(body);
    }),
  );
});

test("of a large message only the beginning is parsed", () => {
  const bytes = encodeDetail(detailWith(["482913"], "x".repeat(20_000_000)), 20_000_000);
  const startedAt = performance.now();
  for (let times = 0; times < 1000; times += 1) decodeGlance(bytes);
  expect(performance.now() - startedAt).toBeLessThan(500);
});

test("a detail that was stored without a glance says so", () => {
  const bytes = Buffer.from(JSON.stringify(detailWith(["482913"])));
  expect(decodeGlance(bytes)).toBeUndefined();
  expect(decodeGlance(new Uint8Array())).toBeUndefined();
});
