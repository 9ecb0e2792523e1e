import { describe, expect, test } from "vitest";
import { startTlsRule } from "./start-tls-rule.ts";

describe("RESTANTE_SMTP_STARTTLS", () => {
  test.each([
    ["auto", "127.0.0.1", "accepted"],
    ["auto", "::1", "accepted"],
    ["auto", "192.0.2.1", "offered"],
    ["auto", "2001:db8::1", "offered"],
    ["always", "127.0.0.1", "offered"],
    ["never", "127.0.0.1", "refused"],
    ["never", "192.0.2.1", "refused"],
  ] as const)("%s treats STARTTLS from %s as %s", (setting, address, treatment) => {
    expect(startTlsRule(setting)(address)).toBe(treatment);
  });
});
