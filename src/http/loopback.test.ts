import { describe, expect, test } from "vitest";
import { isLoopbackAddress, isLoopbackHost } from "./host-guard.ts";

describe("isLoopbackAddress", () => {
  test.each(["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::FFFF:127.1.2.3", "::ffff:7f00:1"])(
    "returns true for %s",
    (address) => {
      expect(isLoopbackAddress(address)).toBe(true);
    },
  );

  test.each(["", "128.0.0.1", "0.0.0.0", "::", "::ffff:10.0.0.1", "::ffff:7e00:1", "::1:1", "127.0.0.1.evil", "127."])(
    "returns false for %j",
    (address) => {
      expect(isLoopbackAddress(address)).toBe(false);
    },
  );
});

describe("isLoopbackHost", () => {
  test.each(["localhost", "LocalHost.", "app.localhost", "127.0.0.1", "[::1]"])("returns true for %s", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  test.each(["", "localhost.example", "notlocalhost", "example.com", "[fe80::1]"])("returns false for %j", (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
