import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const names = ["--http-port", "--smtp-port", "--bind", "--data-dir"];

test.each([
  ["--htp-port", "--http-port"],
  ["--smpt-port", "--smtp-port"],
  ["--datadir", "--data-dir"],
  ["--bnd", "--bind"],
])("suggests for %s %s", (given, meant) => {
  expect(nearestName(given, names)).toBe(meant);
});

test.each(["", "--completely-different", "x".repeat(100_000)])("returns undefined for %j", (given) => {
  expect(nearestName(given, names)).toBeUndefined();
});
