import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientOf } from "./app.ts";

const proxies = new BlockList();
proxies.addSubnet("10.0.0.0", 8, "ipv4");
proxies.addSubnet("fd00::", 8, "ipv6");
const isProxy = (address: string): boolean => proxies.check(address, address.includes(":") ? "ipv6" : "ipv4");
const xff = (peer: string, value: string): string => clientOf(peer, { "x-forwarded-for": value }, isProxy);
const forwarded = (peer: string, value: string): string => clientOf(peer, { forwarded: value }, isProxy);

describe("clientOf", () => {
  test("trusts only the listed proxies", () => {
    expect(xff("198.51.100.9", "203.0.113.1")).toBe("198.51.100.9");
    expect(forwarded("198.51.100.9", "for=203.0.113.1")).toBe("198.51.100.9");
    expect(clientOf("10.0.0.1", {}, isProxy)).toBe("10.0.0.1");
  });

  test.each([
    ["203.0.113.1", "203.0.113.1"],
    ["127.0.0.1, 203.0.113.1", "203.0.113.1"],
    ["198.51.100.1, 203.0.113.1, 10.0.0.2", "203.0.113.1"],
    ["203.0.113.1:4711", "203.0.113.1"],
    ["[2001:db8::1]:4711, fd00::2", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["::ffff:203.0.113.1", "203.0.113.1"],
    ["10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["203.0.113.1, unknown", "10.0.0.1"],
    ["203.0.113.1, ", "10.0.0.1"],
    ["203.0.113.999", "10.0.0.1"],
    ["", "10.0.0.1"],
    ["203.0.113.1,".repeat(100), "10.0.0.1"],
  ])("reads X-Forwarded-For: %s from right to left", (value, expected) => {
    expect(xff("10.0.0.1", value)).toBe(expected);
    expect(xff("::ffff:10.0.0.1", value)).toBe(expected === "10.0.0.1" ? "::ffff:10.0.0.1" : expected);
  });

  test.each([
    ["for=203.0.113.1", "203.0.113.1"],
    ["For=203.0.113.1;proto=https;by=10.0.0.1", "203.0.113.1"],
    ["for=127.0.0.1, for=203.0.113.1", "203.0.113.1"],
    ['for="[2001:db8::1]:4711";host="a,b;for=1.2.3.4", for=10.0.0.2', "2001:db8::1"],
    ["for=203.0.113.1, for=_hidden", "10.0.0.1"],
    ["for=203.0.113.1, proto=https", "10.0.0.1"],
    ["for=203.0.113.1;for=203.0.113.2", "10.0.0.1"],
    ['for=203.0.113.9;host="x, for=203.0.113.1', "10.0.0.1"],
  ])("reads Forwarded: %s from right to left", (value, expected) => {
    expect(forwarded("10.0.0.1", value)).toBe(expected);
  });

  test("ignores a field that the client adds and the proxy does not set", () => {
    const both = { "x-forwarded-for": "203.0.113.1", forwarded: "for=192.0.2.66" };
    expect(clientOf("10.0.0.1", both, isProxy)).toBe("10.0.0.1");
    expect(clientOf("10.0.0.1", { ...both, forwarded: "for=203.0.113.1" }, isProxy)).toBe("203.0.113.1");
  });

  test("reads what the proxy appends, whatever the client wrote before it", () => {
    fc.assert(
      fc.property(fc.string(), (written) => {
        expect(xff("10.0.0.1", `${written}, 203.0.113.1`)).toMatch(/^(?:203\.0\.113\.1|10\.0\.0\.1)$/);
        expect(forwarded("10.0.0.1", `${written}, for=203.0.113.1`)).toMatch(/^(?:203\.0\.113\.1|10\.0\.0\.1)$/);
      }),
      { numRuns: 1000 },
    );
  });
});
