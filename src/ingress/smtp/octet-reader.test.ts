import { expect, test } from "vitest";
import { OctetReader } from "./input.ts";

test("reads exactly the declared number of octets of any value", () => {
  let kept = "";
  const reader = new OctetReader(7, {
    isExcessive: false,
    add: (source, start, end) => {
      kept += source.toString("latin1", start, end);
    },
  });
  expect(reader.read(Buffer.from("XXa\r\n"), 2)).toBe(5);
  expect(reader.isComplete).toBe(false);
  expect(reader.read(Buffer.from(".\r\n\0NOOP\r\n"), 0)).toBe(4);
  expect(reader.isComplete).toBe(true);
  expect(kept).toBe("a\r\n.\r\n\0");
});

test("is complete at once for zero octets", () => {
  expect(new OctetReader(0, null).isComplete).toBe(true);
});

test("reads and drops a chunk without a sink", () => {
  const reader = new OctetReader(4, null);
  expect(reader.read(Buffer.from("QUITNOOP"), 0)).toBe(4);
  expect(reader.isComplete).toBe(true);
});
