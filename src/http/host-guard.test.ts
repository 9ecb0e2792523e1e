import { describe, expect, test } from "vitest";
import { createHostGuard, hostName } from "./host-guard.ts";

const local = createHostGuard({ bindAddresses: ["127.0.0.1"], hosts: [".restante.test", "mail.example"] });
const wide = createHostGuard({ bindAddresses: ["0.0.0.0"], hosts: [] });
const isRefused = (guard: typeof local, headers: Parameters<typeof local>[0]): boolean => {
  try {
    guard(headers);
    return false;
  } catch {
    return true;
  }
};

test.each([
  ["restante-scanner", true],
  ["cdn.example, restante-scanner", true],
  ["cdn.example", false],
])("CDN-Loop %s of a link scanner is refused: %s", (loop, expected) => {
  expect(isRefused(wide, { host: "mail.example", "cdn-loop": loop })).toBe(expected);
});

describe("Host, bound to loopback", () => {
  test.each([
    "localhost",
    "LOCALHOST:8025",
    "localhost.",
    "app.localhost",
    "127.0.0.1:8025",
    "127.9.9.9",
    "[::1]:8025",
    "[::ffff:127.0.0.1]",
    "mailosaur.com",
    "mailosaur.com:443",
    "restante.test",
    "abcd1234.restante.test",
    "mail.example:80",
    "host.docker.internal:8025",
    "127.1",
  ])("accepts %s", (host) => {
    expect(isRefused(local, { host })).toBe(false);
  });

  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evilrestante.test",
    "mailosaur.com.evil.example",
    "evil.mailosaur.com",
    "192.168.1.5",
    "localhost@evil.example",
    "evil.example#localhost",
    "evil.example/localhost",
    "evil.example\\localhost",
    "a b",
    ":",
  ])("rejects %s", (host) => {
    expect(isRefused(local, { host })).toBe(true);
  });

  test("accepts a request without Host", () => {
    expect(isRefused(local, {})).toBe(false);
  });
});

describe("Host, bound elsewhere", () => {
  test.each(["mail.example", "192.168.1.5:8025", "restante"])("accepts %s", (host) => {
    expect(isRefused(wide, { host })).toBe(false);
  });
});

describe("Origin", () => {
  test.each([
    ["http://localhost:8025", "localhost:8025"],
    ["https://localhost:8443", "localhost:8443"],
    ["http://LOCALHOST", "localhost:80"],
    ["https://mail.example", "mail.example"],
  ])("accepts %s for %s", (origin, host) => {
    expect(isRefused(local, { origin, host })).toBe(false);
  });

  test.each([
    ["http://evil.example", "localhost:8025"],
    ["http://localhost:3000", "localhost:8025"],
    ["null", "localhost:8025"],
    ["", "localhost:8025"],
    ["file://", "localhost:8025"],
    ["chrome-extension://abcdefgh", "localhost:8025"],
    ["http://localhost:8025", undefined],
  ])("rejects %j for %s", (origin, host) => {
    const headers = host === undefined ? { origin } : { origin, host };
    expect(isRefused(local, headers)).toBe(true);
    expect(isRefused(wide, headers)).toBe(true);
  });
});

test.each([
  ["Example.COM:80", "example.com"],
  ["[::1]:80", "[::1]"],
  ["ex%61mple.com", "example.com"],
  ["a/b", undefined],
  ["", undefined],
])("the name in %j is %s", (host, name) => {
  expect(hostName(host)).toBe(name);
});

describe("a target in absolute form", () => {
  const isServed = (guard: typeof local, host: string): boolean => {
    try {
      guard({ host }, true);
      return true;
    } catch {
      return false;
    }
  };

  test.each([local, wide])("is accepted when it names a host of the service", (guard) => {
    for (const host of ["localhost:8025", "127.0.0.1", "mailosaur.com"]) expect(isServed(guard, host)).toBe(true);
  });

  test.each([local, wide])("is rejected when it names another host, whatever the bind address", (guard) => {
    for (const host of ["evil.example", "mailosaur.com.evil.example", "10.0.0.1"]) {
      expect(isServed(guard, host)).toBe(false);
    }
  });
});

test("several addresses protect from foreign names only while all are loopback", () => {
  const loopback = createHostGuard({ bindAddresses: ["127.0.0.1", "::1"], hosts: [] });
  const mixed = createHostGuard({ bindAddresses: ["::1", "fd00::7"], hosts: [] });
  expect([loopback, mixed].map((guard) => isRefused(guard, { host: "rebound.example" }))).toEqual([true, false]);
  expect(() => {
    mixed({ host: "[fd00::7]:8025" }, true);
  }).not.toThrow();
});
