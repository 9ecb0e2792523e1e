import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRelayUrl, RelayUrlError } from "./relay-url.ts";

describe("readRelayUrl", () => {
  test("returns host and port, with the defaults of the scheme", () => {
    const plain = { isImplicitTls: false, requiresTls: false, verifiesCertificate: true, login: null };
    expect(readRelayUrl("smtp://mail.corp.example:2525")).toEqual({ ...plain, host: "mail.corp.example", port: 2525 });
    expect(readRelayUrl("smtp://[::1]/")).toEqual({ ...plain, host: "::1", port: 587 });
    expect(readRelayUrl("smtps://mail.corp.example")).toMatchObject({ port: 465, isImplicitTls: true });
  });

  test("decodes user and password", () => {
    const { login } = readRelayUrl("smtps://me%40corp.example:p%3A%2F%23%C3%BC@mail.corp.example");
    expect(login).toEqual({ user: "me@corp.example", password: "p:/#ü" });
  });

  test.each([
    ["smtp://u:p@mail.corp.example", true],
    ["smtp://u:p@mail.corp.example?requireTLS=false", false],
    ["smtp://mail.corp.example?requireTLS=true", true],
    ["smtp://u:p@localhost", false],
    ["smtp://u:p@127.0.0.1:25", false],
    ["smtp://u:p@[::1]:25", false],
    ["smtp://u:p@127.evil.example", true],
  ])("%s requires TLS: %s", (url, requiresTls) => {
    expect(readRelayUrl(url).requiresTls).toBe(requiresTls);
  });

  test("disables the certificate check", () => {
    expect(readRelayUrl("smtp://h?verifyCertificate=false").verifiesCertificate).toBe(false);
  });

  test.each([
    "",
    "mail.corp.example:25",
    "http://mail.corp.example",
    "smtp://",
    "smtp:///path",
    "smtp://h/path",
    "smtp://h#x",
    "smtp://h:0",
    "smtp://h:99999",
    "smtp://h?pool=true",
    "smtp://h?requireTLS=yes",
    "smtp://u:%zz@h",
  ])("rejects %j", (url) => {
    expect(() => readRelayUrl(url)).toThrow(RelayUrlError);
  });

  test("never repeats the URL in an error", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9]{8,20}$/),
        fc.constantFrom("%zz@h", "@h?x=y", "@h/p", "@", ""),
        (secret, end) => {
          try {
            readRelayUrl(`smtp://user:${secret}${end}`);
          } catch (error) {
            expect(String(error)).not.toContain(secret);
          }
        },
      ),
    );
  });
});
