import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageTokenHeader, readSession, readSessionCookie, sessionCookie, sessionCookieName } from "./sessions.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const host = "localhost:8025";
const cookie = "other=1; restante-8025=SECRET; restante-9000=WRONG";
const read = (headers: Record<string, string>): unknown =>
  readSession({ host, cookie, [pageTokenHeader]: "PAGE", ...headers });

describe("the cookie", () => {
  test("is hidden from scripts and other sites, and has the port in its name", () => {
    expect(sessionCookie(host, "SECRET", { isSecure: false, basePath: "" })).toBe(
      "restante-8025=SECRET; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict",
    );
  });

  test("requires HTTPS when the service is reached by HTTPS", () => {
    expect(sessionCookie("mail.example", "SECRET", { isSecure: true, basePath: "" })).toBe(
      "restante-default=SECRET; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure",
    );
  });

  test("is restricted to the path of the service", () => {
    expect(sessionCookie(host, "SECRET", { isSecure: false, basePath: "/mail" })).toContain("; Path=/mail/;");
  });

  test("is cleared with an empty value and Max-Age=0", () => {
    expect(sessionCookie(host, null, { isSecure: false, basePath: "" })).toContain(
      "restante-8025=; Path=/; Max-Age=0;",
    );
  });

  test.each([
    ["[::1]:8025", "restante-8025"],
    ["[::1]", "restante-default"],
    [undefined, "restante-default"],
  ])("names the cookie of %s: %s", (name, expected) => {
    expect(sessionCookieName(name)).toBe(expected);
  });
});

describe("a session", () => {
  const secrets = { cookie: "SECRET", page: "PAGE" };

  test.each([
    ["a script of our own page", { "sec-fetch-site": "same-origin" }],
    ["a browser that sends no Fetch Metadata", {}],
  ])("is read from %s", (_who, headers) => {
    expect(read(headers)).toEqual(secrets);
  });

  test.each([
    ["a page on another port of this machine", { "sec-fetch-site": "same-site" }],
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["an address that was typed", { "sec-fetch-site": "none" }],
    ["a request with the cookie alone", { [pageTokenHeader]: "" }],
    ["a request with the page token alone", { cookie: "other=1" }],
  ])("is not read from %s", (_who, headers) => {
    expect(read(headers)).toBeUndefined();
  });
});

test("ignores other cookies", () => {
  for (const other of ["", "restante-8025", "restante-8025=", "xrestante-8025=SECRET", "restante-80=SECRET"]) {
    expect(readSessionCookie({ host, cookie: other })).toBeUndefined();
  }
});

test("never throws, and never reads an empty cookie", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.string(), (field, name) => {
      expect(readSessionCookie({ host: name, cookie: field })).not.toBe("");
    }),
  );
});
