import { describe, expect, test } from "vitest";
import { isShareable, type RestanteOptions } from "./restante-options.ts";

describe("isShareable", () => {
  test.each<RestanteOptions>([
    {},
    { shared: true },
    { smtpPort: 1025, smtpStarttls: "never", catchAll: "off", log: "debug", mailDomain: "mail.test", chromium: "auto" },
    { httpPort: 0, httpsPort: 0, catchAll: "first" },
  ])("is true for %j", (options) => {
    expect(isShareable(options)).toBe(true);
  });

  test.each<RestanteOptions>([
    { dataDir: "/srv/data" },
    { servers: [] },
    { apiKey: "a-key-of-tests" },
    { httpPort: 8025 },
    { httpsPort: 8443 },
    { limits: {} },
    { catchAll: "abcd1234" },
  ])("is false for %j, and an error with shared: true", (options) => {
    expect(isShareable(options)).toBe(false);
    expect(() => isShareable({ ...options, shared: true })).toThrow(Object.keys(options)[0]);
  });

  test("is false with shared: false", () => {
    expect(isShareable({ shared: false })).toBe(false);
  });
});
