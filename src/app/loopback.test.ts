import { expect, test } from "vitest";
import { hostAndPort, isLoopback, reachableAddress } from "./loopback.ts";

test.each([
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
  ["2001:db8::1", false],
])("isLoopback(%s) returns %j", (address, is) => {
  expect(isLoopback(address)).toBe(is);
});

test.each([
  ["0.0.0.0", "127.0.0.1:25"],
  ["::", "[::1]:25"],
  ["10.0.0.1", "10.0.0.1:25"],
])("reaches a listener on %s at %s", (bind, shown) => {
  expect(hostAndPort(reachableAddress(bind), 25)).toBe(shown);
});
