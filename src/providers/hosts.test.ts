import { expect, test } from "vitest";
import { findHost, hostsOfProvider } from "./hosts.ts";
import { providers } from "./registry.ts";

test("an asterisk stands for each region of AWS", () => {
  const hosts = hostsOfProvider({ hosts: ["api.example", "email.*.amazonaws.com"] });
  expect(hosts).toContain("email.eu-west-1.amazonaws.com");
  expect(hosts[0]).toBe("api.example");
  expect(hosts.some((host) => host.includes("*"))).toBe(false);
  expect(hostsOfProvider({})).toEqual([]);
});

test("every provider names the hosts that its SDKs call", () => {
  expect(providers.filter(({ hosts = [] }) => hosts.length === 0).map(({ name }) => name)).toEqual([]);
});

test("no two providers have a host in common, and hosts are names in lower case", () => {
  const hosts = providers.flatMap(hostsOfProvider);
  expect(new Set(hosts).size).toBe(hosts.length);
  expect(hosts.filter((host) => !/^(?:\*|[a-z0-9-]+)(?:\.[a-z0-9-]+)+$/.test(host))).toEqual([]);
});

test("an asterisk as the first label stands for exactly one label", () => {
  const hosts = new Map(hostsOfProvider({ hosts: ["*.eu.api.example", "api.example"] }).map((host) => [host, host]));
  expect([...hosts.keys()]).toEqual(["*.eu.api.example", "api.example"]);
  expect(findHost(hosts, "shop-1.eu.api.example")).toBe("*.eu.api.example");
  expect(findHost(hosts, "api.example")).toBe("api.example");
  const others = ["eu.api.example", ".eu.api.example", "a.b.eu.api.example", "x.api.example", "api.example.org", ""];
  expect(others.filter((host) => findHost(hosts, host) !== undefined)).toEqual([]);
});
