import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretBox } from "../../operations/services/security/secret-box.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { flowCookie, flowMsMax, pathOfUi, readFlow, type SignInFlow } from "./sign-in-flow.ts";

const secure = { isSecure: true, basePath: "/mail" };
const clear = { isSecure: false, basePath: "" };
const flow: SignInFlow = {
  issuer: "default",
  secrets: { state: "s", nonce: "n", verifier: "v" },
  to: "/servers/abcd1234?q=a",
};

describe("the cookie of a sign-in", () => {
  const clock = new FakeClock();
  const context = { clock, secrets: createSecretBox(Buffer.alloc(32, 1)) };
  const set = (host: string, scope = secure): string => flowCookie(context, { host, scope }, flow);
  const pairOf = (line: string): string => line.split(";", 1)[0] ?? "";

  test("is bound to the host with TLS: __Host-, Secure, the path / and no domain (RFC 6265bis)", () => {
    const line = set("mail.corp.example");
    expect(line).toMatch(
      /^__Host-restante-sign-in-default=[\w-]{80,}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(set("mail.corp.example:8443")).toMatch(/^__Host-restante-sign-in-8443=/);
    expect(line).not.toContain(flow.secrets.verifier.repeat(2));
  });

  test("has no prefix without TLS, with which browsers would drop it", () => {
    expect(set("localhost:8025", clear)).toMatch(
      /^restante-sign-in-8025=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
  });

  test("is read by the service that has set it, beside others, for ten minutes", () => {
    const host = "mail.corp.example";
    const headers = { host, cookie: `a=b; ${pairOf(set(host))}; restante-default=x` };
    expect(readFlow(context, headers, secure)).toEqual(flow);
    clock.advance(flowMsMax - 1);
    expect(readFlow(context, headers, secure)).toEqual(flow);
    clock.advance(1);
    expect(readFlow(context, headers, secure)).toBeUndefined();
  });

  test("is not accepted without the prefix where TLS requires it, and not from another key or purpose", () => {
    const host = "mail.corp.example";
    const pair = pairOf(set(host));
    const other = { clock, secrets: createSecretBox(Buffer.alloc(32, 2)) };
    const sealed = Buffer.from(context.secrets.seal(JSON.stringify(flow), "another purpose")).toString("base64url");
    for (const [own, cookie] of [
      [context, pair.replace("__Host-", "")],
      [other, pair],
      [context, `__Host-restante-sign-in-default=${sealed}`],
      [context, "__Host-restante-sign-in-default="],
      [context, `x${pair}`],
      [context, ""],
    ] as const) {
      expect(readFlow(own, { host, cookie }, secure)).toBeUndefined();
    }
  });

  test("is removed with the same name and path", () => {
    expect(flowCookie(context, { host: "mail.corp.example", scope: secure }, null)).toBe(
      "__Host-restante-sign-in-default=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
    );
  });

  test("is read without an exception, whatever a browser sends", () => {
    const host = "mail.corp.example";
    const value = fc.oneof(
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64url")),
    );
    fc.assert(
      fc.property(value, (text) => {
        const cookie = `__Host-restante-sign-in-default=${text}`;
        return readFlow(context, { host, cookie }, secure) === undefined;
      }),
    );
  });
});

test("leads to paths of the same origin only", () => {
  expect(pathOfUi("/servers/abcd1234?q=a%20b")).toBe("/servers/abcd1234?q=a%20b");
  const place = fc.stringMatching(/^[/\\]{0,3}[\w:@%.?#\t\r\n /\\-]{0,20}$/);
  fc.assert(
    fc.property(
      place,
      (text) => new URL(pathOfUi(text), "https://mail.corp.example").origin === "https://mail.corp.example",
    ),
  );
});
