import { expect, test } from "vitest";
import { inNetworks, isNetwork } from "./networks.ts";

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
