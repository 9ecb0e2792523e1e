import { expect, test } from "vitest";
import { hostsOfProvider } from "./hosts.ts";
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
  expect(hosts.filter((host) => !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host))).toEqual([]);
});
