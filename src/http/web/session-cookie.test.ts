import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownPageHeader, readSessionCookie, sessionCookie, sessionCookieName } from "./session-cookie.ts";

const host = "localhost:8025";
const cookie = "other=1; restante-8025=SECRET; restante-9000=WRONG";
const read = (method: string, headers: Record<string, string>): string | undefined =>
  readSessionCookie({ host, cookie, ...headers }, method);

describe("the cookie", () => {
  test("is kept from script and from other sites, and has the port in its name", () => {
    expect(sessionCookie(host, "SECRET", false)).toBe(
      "restante-8025=SECRET; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict",
    );
  });

  test("insists on HTTPS where the service is reached so", () => {
    expect(sessionCookie("mail.example", "SECRET", true)).toBe(
      "restante-default=SECRET; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure",
    );
  });

  test("is taken back with nothing in it and no time to live", () => {
    expect(sessionCookie(host, null, false)).toContain("restante-8025=; Path=/; Max-Age=0;");
  });

  test.each([
    ["[::1]:8025", "restante-8025"],
    ["[::1]", "restante-default"],
    [undefined, "restante-default"],
  ])("of %s is called %s", (name, expected) => {
    expect(sessionCookieName(name)).toBe(expected);
  });
});

describe("counts for", () => {
  test.each([
    ["our page reading", "GET", { "sec-fetch-site": "same-origin" }],
    ["our page changing something", "DELETE", { "sec-fetch-site": "same-origin", [ownPageHeader]: "1" }],
    ["an address that was typed", "GET", { "sec-fetch-site": "none" }],
    ["our page over HTTP by another name, where browsers say nothing", "GET", {}],
    ["our page changing something there", "POST", { [ownPageHeader]: "1" }],
  ])("%s", (_who, method, headers) => {
    expect(read(method, headers)).toBe("SECRET");
  });
});

describe("does not count for", () => {
  test.each([
    ["a page on another port of this machine", "GET", { "sec-fetch-site": "same-site" }],
    ["a page of a stranger", "GET", { "sec-fetch-site": "cross-site" }],
    ["a stranger's page with our header", "POST", { "sec-fetch-site": "same-site", [ownPageHeader]: "1" }],
    ["a form of any page", "POST", { "sec-fetch-site": "same-origin" }],
    ["a form where browsers say nothing", "POST", {}],
    ["a method nobody knows", "PURGE", { "sec-fetch-site": "same-origin" }],
    ["a change that was typed", "POST", { "sec-fetch-site": "none", [ownPageHeader]: "1" }],
  ])("%s", (_who, method, headers) => {
    expect(read(method, headers)).toBeUndefined();
  });
});

test("of a field without ours nothing is read", () => {
  for (const other of ["", "restante-8025", "restante-8025=", "xrestante-8025=SECRET", "restante-80=SECRET"]) {
    expect(readSessionCookie({ host, cookie: other }, "GET")).toBeUndefined();
  }
});

test("never throws, and never reads an empty name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (field, name) => {
      expect(readSessionCookie({ host: name, cookie: field }, "GET")).not.toBe("");
    }),
  );
});
