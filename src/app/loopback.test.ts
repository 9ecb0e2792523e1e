import { describe, expect, test } from "vitest";
import { exposedAddress, hostAndPort, isLoopback, isLoopbackOnly, reachableAddress, startTlsRule } from "./loopback.ts";

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
  expect(hostAndPort(reachableAddress([bind]), 25)).toBe(shown);
});

test("shows the first of several addresses", () => {
  expect(reachableAddress(["::1", "127.0.0.1"])).toBe("::1");
});

test("takes addresses as loopback only when all of them are", () => {
  expect([isLoopbackOnly(["127.0.0.1", "::1"]), exposedAddress(["127.0.0.1", "::1"])]).toEqual([true, undefined]);
  expect([isLoopbackOnly(["127.0.0.1", "::"]), exposedAddress(["127.0.0.1", "::"])]).toEqual([false, "::"]);
});

describe("RESTANTE_SMTP_STARTTLS", () => {
  test.each([
    ["auto", "127.0.0.1", "accepted"],
    ["auto", "::1", "accepted"],
    ["auto", "192.0.2.1", "offered"],
    ["auto", "2001:db8::1", "offered"],
    ["always", "127.0.0.1", "offered"],
    ["never", "127.0.0.1", "refused"],
    ["never", "192.0.2.1", "refused"],
  ] as const)("%s treats STARTTLS from %s as %s", (setting, address, treatment) => {
    expect(startTlsRule(setting)(address)).toBe(treatment);
  });
});
