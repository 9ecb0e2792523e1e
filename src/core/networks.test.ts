import { expect, test } from "vitest";
import { holderNetworks, inNetworks, isNetwork, networkOf } from "./networks.ts";

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
