import fc from "fast-check";
import { expect, test } from "vitest";
import { noTracing, readTraceparent, traceparentOf } from "./tracing.ts";

const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
const value = `00-${traceId}-${spanId}-01`;

test("reads the field of W3C Trace Context, and those of later versions", () => {
  expect(readTraceparent(value)).toEqual({ traceId, spanId, isSampled: true });
  expect(readTraceparent(` 00-${traceId}-${spanId}-00 `)).toEqual({ traceId, spanId, isSampled: false });
  expect(readTraceparent(`cc-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, isSampled: true });
});

test.each([
  ["another version", `ff-${traceId}-${spanId}-01`],
  ["no trace", `00-${"0".repeat(32)}-${spanId}-01`],
  ["no span", `00-${traceId}-${"0".repeat(16)}-01`],
  ["capital letters", value.toUpperCase()],
  ["a longer id", `00-${traceId}0-${spanId}-01`],
  ["more behind the flags", `${value}x`],
  ["too long a text", `${value}-${"x".repeat(512)}`],
  ["an array", [value]],
  ["nothing", undefined],
])("reads no position from %s", (_what, given) => {
  expect(readTraceparent(given)).toBeUndefined();
});

test("reads the field of a mail from its header section only", () => {
  const read = (text: string): string | undefined => traceparentOf(Buffer.from(text))?.traceId;
  expect(read(`Subject: x\r\nTraceParent: ${value}\r\n\r\ntext`)).toBe(traceId);
  expect(read(`traceparent:${value}\n\ntext`)).toBe(traceId);
  expect(read(`Subject: x\r\n\r\ntraceparent: ${value}\r\n`)).toBeUndefined();
  expect(read(`X: ${"y".repeat(70_000)}\r\ntraceparent: ${value}\r\n\r\n`)).toBeUndefined();
});

test("never throws on bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(traceparentOf(bytes)).toBeUndefined();
    }),
  );
});

test("runs the body, and calls nothing of a span, while traces are off", async () => {
  const never = (): never => {
    throw new Error("called");
  };
  const span = { name: "x", parent: never, startedAt: never, attributes: never };
  expect(await noTracing.run(span, async () => 7)).toBe(7);
  await expect(noTracing.run(span, async () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
});
