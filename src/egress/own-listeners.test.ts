import { expect, test } from "vitest";
import { createOwnListeners } from "./own-listeners.ts";

const own = createOwnListeners({
  publicUrl: () => "https://mail.example:8443/ui",
  ports: () => new Set([8025]),
  addresses: () => ["192.0.2.7", "2001:db8::7", "fe80::1%eth0"],
});

test.each([
  ["127.0.0.1", 8025, true],
  ["127.8.9.10", 8025, true],
  ["::1", 8025, true],
  ["::ffff:127.0.0.1", 8025, true],
  ["0.0.0.0", 8025, true],
  ["::", 8025, true],
  ["192.0.2.7", 8025, true],
  ["::ffff:192.0.2.7", 8025, true],
  ["2001:db8:0::7", 8025, true],
  ["fe80::1", 8025, true],
  ["192.0.2.8", 8025, false],
  ["127.0.0.1", 8026, false],
  ["app", 8025, false],
  ["", 8025, false],
])("recognises %s and port %i as its own: %s", (address, port, expected) => {
  expect(own.isOwnListener(address, port)).toBe(expected);
});

test("recognises the origin of its public URL", () => {
  expect(own.isOwnOrigin("https://mail.example:8443")).toBe(true);
  expect(own.isOwnOrigin("https://mail.example")).toBe(false);
});
