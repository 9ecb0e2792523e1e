import { expect, test } from "vitest";
import { unauthenticatedBodyBytesMax } from "./arrival-rate.ts";
import { budgetBytes, idleBytes, mailWorkBytesPerByte, memoryLimits } from "./memory-limits.ts";

const mebibyte = 1024 ** 2;
/** From 64 MiB to 64 GiB, in steps of at most 5 %. */
const sizes = Array.from({ length: 205 }, (_, step) => Math.min(64 * mebibyte * 1.035 ** step, 64 * 1024 * mebibyte));

test("budgets keep the memory that an idle process leaves, on a machine of any size", () => {
  const excess = sizes.filter((memoryBytes) => {
    const { messageBytesMax: _mail, contentBodyBytesMax: _body, ...budgets } = memoryLimits(memoryBytes);
    const sum = Object.values(budgets).reduce((total, bytes) => total + bytes, 0);
    return sum > budgetBytes(memoryBytes) || (memoryBytes > 2 * idleBytes && sum + idleBytes > memoryBytes);
  });
  expect(sizes.at(-1)).toBe(64 * 1024 * mebibyte);
  expect(excess).toEqual([]);
});

test("every budget has room for the largest mail or body", () => {
  const tooSmall = sizes.filter((memoryBytes) => {
    const limits = memoryLimits(memoryBytes);
    return (
      limits.messageBytesMax > limits.smtpBytesInFlightMax ||
      limits.messageBytesMax * mailWorkBytesPerByte > limits.mailWorkBytesMax ||
      (limits.messageBytesMax * 4) / 3 > limits.contentBodyBytesMax ||
      limits.contentBodyBytesMax > limits.httpBytesInFlightMax ||
      limits.unauthenticatedBytesInFlightMax < 4 * unauthenticatedBodyBytesMax
    );
  });
  expect(tooSmall).toEqual([]);
});

test.each([
  [64, 1.5625],
  [256, 12.75],
  [512, 38.375],
  [640, 50],
  [65_536, 50],
])("memory of %i MiB allows mails of %f MiB", (memory, largest) => {
  expect(memoryLimits(memory * mebibyte).messageBytesMax / mebibyte).toBe(largest);
});

test("divides 2 GiB as the decision says", () => {
  expect(Object.values(memoryLimits(2048 * mebibyte)).map((bytes) => bytes / mebibyte)).toEqual([
    50, 75, 128, 512, 256, 16, 256,
  ]);
});
