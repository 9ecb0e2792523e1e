import fc from "fast-check";
import { isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import {
  addressBytes,
  isPublicAddress,
  parseIpAddress,
  reverseLabels,
  holderNetworks,
  inNetworks,
  isNetwork,
  networkOf,
} from "./ip-address.ts";

describe("an address", () => {
  test.each([
    ["192.0.2.1", "c0000201"],
    ["::1", "00000000000000000000000000000001"],
    ["2001:db8::5", "20010db8000000000000000000000005"],
    ["::ffff:192.0.2.1", "c0000201"],
    ["::ffff:c000:201", "c0000201"],
    ["64:ff9b::192.0.2.1", "0064ff9b0000000000000000c0000201"],
    ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ])("%s has its bytes", (text, hex) => {
    expect(Buffer.from(parseIpAddress(text) ?? []).toString("hex")).toBe(hex);
  });

  test.each(["", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1", "::g", "fe80::1%eth0", "localhost", "[::1]"])(
    "%j is rejected",
    (text) => {
      expect(parseIpAddress(text)).toBeUndefined();
      expect(isPublicAddress(text)).toBe(false);
    },
  );

  test("has reversed labels for DNS", () => {
    expect(reverseLabels(Uint8Array.of(192, 0, 2, 1))).toBe("1.2.0.192");
    expect(reverseLabels(parseIpAddress("2001:db8::567:89ab") ?? new Uint8Array())).toBe(
      "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2",
    );
  });

  test("is parsed or rejected for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        expect([4, 16, undefined]).toContain(parseIpAddress(text)?.length);
        expect(typeof isPublicAddress(text)).toBe("boolean");
      }),
    );
  });
});

describe("addressBytes", () => {
  test.each([
    ["127.0.0.1", "7f000001"],
    ["::1", "00000000000000000000000000000001"],
    ["::", "00000000000000000000000000000000"],
    ["fe80::", "fe800000000000000000000000000000"],
    ["2001:db8::ff00:42:8329", "20010db8000000000000ff0000428329"],
    ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
    ["::ffff:127.0.0.1", "00000000000000000000ffff7f000001"],
  ])("%s", (address, hex) => {
    expect(Buffer.from(addressBytes(address)).toString("hex")).toBe(hex);
  });

  test("returns sixteen bytes for every spelling of an IPv6 address", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (isIPv6(address)) expect(addressBytes(address)).toHaveLength(16);
      }),
    );
  });
});

describe("the public Internet", () => {
  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
  ])("has %s", (text) => {
    expect(isPublicAddress(text)).toBe(true);
  });

  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:0:1234::1",
    "2001:db8::1",
    "2001:10::1",
    "2001:20::1",
    "2002:7f00:1::1",
    "2002:a00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2606:4700::5efe:127.0.0.1",
    "2606:4700::200:5efe:10.0.0.1",
  ])("lacks %s", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  test("lacks every IPv6 address below or above global unicast", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        fc.pre(((bytes[0] ?? 0) & 0xe0) !== 0x20);
        const text = Buffer.from(bytes)
          .toString("hex")
          .replaceAll(/(.{4})(?=.)/g, "$1:");
        const isMapped = text.startsWith("0000:0000:0000:0000:0000:ffff:");
        fc.pre(!isMapped);
        expect(isPublicAddress(text)).toBe(false);
      }),
    );
  });
});

test("isNetwork accepts addresses and addresses with a valid prefix length", () => {
  const good = ["192.0.2.7", "10.0.0.0/8", "0.0.0.0/0", "192.0.2.7/32", "::1", "fd00::/8", "2001:db8::1/128"];
  expect(good.filter((text) => !isNetwork(text))).toEqual([]);
  const bad = [
    "",
    "host",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0/8",
    "::/129",
    "fe80::1%eth0",
    "1.2.3.4/8/8",
  ];
  expect(bad.filter(isNetwork)).toEqual([]);
});

test("inNetworks compares IPv4 and IPv6 addresses separately", () => {
  const isOurs = inNetworks(["192.0.2.7", "10.0.0.0/8", "fd00::/8"]);
  const asked = ["192.0.2.7", "192.0.2.8", "10.255.0.1", "11.0.0.1", "fd12::1", "fe80::1", "::1", "not an address", ""];
  expect(asked.filter(isOurs)).toEqual(["192.0.2.7", "10.255.0.1", "fd12::1"]);
  expect(inNetworks([])("192.0.2.7")).toBe(false);
});

test("networkOf returns one text for the addresses of a network", () => {
  const networks = ["8.51.100.7", "::ffff:8.51.100.200", "8.51.101.7"].map((one) => networkOf(one, holderNetworks));
  expect(networks).toEqual(["083364/24", "083364/24", "083365/24"]);
  const wide = ["2a00:1:2:3::1", "2a00:1:2:ffff::", "2a00:1:3::"].map((one) => networkOf(one, holderNetworks));
  expect(wide).toEqual(["2a0000010002/48", "2a0000010002/48", "2a0000010003/48"]);
  expect(networkOf("unknown", holderNetworks)).toBe("unknown");
});
