import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { hostNamesOf, isPrivateAddress } from "./host-names.ts";

const reserved = ["restante.example.com", "*.restante.example.com"];

describe("hostNamesOf", () => {
  test("returns loopback, the mail domain with its wildcard, and the host of the official clients", () => {
    const { required } = hostNamesOf({ mailDomain: "mail.example", bind: ["127.0.0.1"], publicHost: null });
    expect(required).toEqual(["localhost", "127.0.0.1", "::1", "mail.example", "*.mail.example", "mailosaur.com"]);
  });

  test("returns every bound address and the public host once, in lower case and without brackets", () => {
    const { required } = hostNamesOf({
      mailDomain: "mail.example",
      bind: ["203.0.113.7", "2001:db8::7"],
      publicHost: "QA.Example",
    });
    expect(required.slice(-3)).toEqual(["203.0.113.7", "2001:db8::7", "qa.example"]);
    const bracketed = hostNamesOf({ mailDomain: "mail.example", bind: ["::1"], publicHost: "[2001:db8::1]" });
    expect(bracketed.required.slice(-2)).toEqual(["mailosaur.com", "2001:db8::1"]);
  });

  test("returns the machine's addresses as optional instead of the unspecified address", () => {
    for (const bind of ["0.0.0.0", "::"]) {
      const names = hostNamesOf({ mailDomain: "mail.example", bind: ["10.0.0.1", bind], publicHost: null });
      expect(names.required).toContain("10.0.0.1");
      expect([...names.required, ...names.optional]).not.toContain(bind);
    }
    const { optional } = hostNamesOf({ mailDomain: "mail.example", bind: ["127.0.0.1"], publicHost: null });
    const machine = /^[a-z0-9.-]+$/i.test(hostname()) ? [hostname().toLowerCase()] : [];
    expect(optional).toEqual([...machine, ...reserved].sort());
  });

  test("omits names that are invalid in a certificate", () => {
    const { required } = hostNamesOf({ mailDomain: "mail.example", bind: ["127.0.0.1"], publicHost: "qa_1.example" });
    expect(required).not.toContain("qa_1.example");
  });
});

test.each([
  ["127.0.0.1", true],
  ["172.31.255.255", true],
  ["172.32.0.0", false],
  ["8.8.8.8", false],
  ["::1", true],
  ["fd00::2", true],
  ["2001:db8::1", false],
])("%s is private: %j", (address, isPrivate) => {
  expect(isPrivateAddress(address)).toBe(isPrivate);
});

test("includes intercepted hosts of providers, which the local CA must permit", () => {
  const sources = { mailDomain: "restante.test", bind: ["127.0.0.1"], publicHost: null };
  expect(hostNamesOf({ ...sources, intercepted: ["API.provider.example"] }).required).toContain("api.provider.example");
});
