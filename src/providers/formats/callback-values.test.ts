import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { CallbackRequest, CallbackSecrets } from "../callbacks.ts";
import {
  basicAuthHeaders,
  derivedHex,
  givenBasicAuth,
  givenSecret,
  headerValue,
  jsonText,
  newSecret,
  withWrongCredentials,
} from "./callback-values.ts";
import { credentialHeaders, credentials } from "../postmark/event-webhook.ts";
import { sendGridEvents } from "../sendgrid/event-webhook.ts";

test("newSecret returns another secret each time, derivedHex the same for the same parts", () => {
  expect(newSecret()).toMatch(/^[0-9a-f]{32}$/);
  expect(newSecret()).not.toBe(newSecret());
  expect(derivedHex(9, "a", 1)).toBe(derivedHex(9, "a", 1));
  expect(derivedHex(9, "a", 1)).not.toBe(derivedHex(9, "a1"));
});

test.each([
  ["\uD800", '"\uFFFD"'],
  ["a\uDC00b", '"a\uFFFDb"'],
  ["😀", '"😀"'],
  ["\\uD800", String.raw`"\\uD800"`],
  ["\\\\ud800\n\u0000", String.raw`"\\\\ud800\n\u0000"`],
])("jsonText serialises %j without lone surrogates", (value, expected) => {
  expect(jsonText(value)).toBe(expected);
});

test.each([
  ["ada@example.com", "ada@example.com"],
  ["a%\r\nb: c", "a%25%0D%0Ab:%20c"],
  ["ü@x", "%C3%BC@x"],
])("headerValue encodes %j", (value, expected) => {
  expect(headerValue(value)).toBe(expected);
});

test("basicAuthHeaders has the credentials that were given", () => {
  const headersFor = (secrets: CallbackSecrets, url = "http://app.example/") =>
    basicAuthHeaders({ url, secrets: givenBasicAuth(secrets) });
  expect(headersFor({ basicAuth: "a:b" })).toEqual({ authorization: `Basic ${btoa("a:b")}` });
  expect(headersFor({ basicAuth: "a:b" }, "http://c:%zz@x/")).toEqual({ authorization: `Basic ${btoa("c:%zz")}` });
  expect(headersFor({})).toEqual({});
  expect(() => givenBasicAuth({ basicAuth: "a" })).toThrow(Problem);
});

test("withWrongCredentials changes the Authorization field", () => {
  const request = { headers: { authorization: "Basic YTpi" }, contentType: "a/b", body: new Uint8Array() };
  expect(withWrongCredentials(request).headers["authorization"]).toMatch(/^Basic (?!YTpi)/);
});

test("givenSecret rejects values that do not match, naming the setting", () => {
  const rule = { pattern: /^\d+$/, form: "digits" };
  expect(givenSecret({ pin: "12" }, "pin", rule)).toBe("12");
  expect(givenSecret({ pin: "" }, "pin", rule)).toBeUndefined();
  expect(() => givenSecret({ pin: "a" }, "pin", rule)).toThrow(Problem);
});

describe("credentials of Postmark", () => {
  const headersFor = async (given: CallbackSecrets): Promise<CallbackRequest["headers"]> =>
    credentialHeaders({ ...(await credentials.createSecrets(given)), url: "http://app.example/" }).headers;
  const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`;

  test("are those given, else new ones", async () => {
    expect((await headersFor({ basicAuth: "a:b:ü" }))["authorization"]).toBe(basic("a:b:ü"));
    expect((await headersFor({}))["authorization"]).not.toBe((await headersFor({}))["authorization"]);
  });

  test("accepts a header field alone as credentials", async () => {
    expect(await headersFor({ header: "X-Token: a b" })).toEqual({ "User-Agent": "Postmark", "X-Token": "a b" });
    expect((await credentials.createSecrets({ header: "X-Token:a" })).secret).toBe("X-Token:a");
    const request = { headers: await headersFor({ header: "X-Token: a" }), contentType: "a/b", body: new Uint8Array() };
    expect(credentials.forge(request).headers).toEqual({
      "User-Agent": "Postmark",
      "X-Token": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
  });

  test.each([
    { basicAuth: "no colon" },
    { basicAuth: "a:b\r\nX: y" },
    { header: "Host: a" },
    { header: "Content-Length: 0" },
    { header: "X-Token:" },
    { header: "X-Token: a\r\nY: b" },
    { header: "X Token: a" },
  ])("are rejected: %j", (given) => {
    expect(() => credentials.createSecrets(given)).toThrow(Problem);
  });
});

describe("keys of SendGrid", () => {
  test("are kept when the private key is given", async () => {
    const made = await sendGridEvents.createSecrets({});
    const privateKey = made.secrets["privateKey"] ?? "";
    expect(await sendGridEvents.createSecrets({ privateKey })).toEqual(made);
    expect(
      await sendGridEvents.createSecrets({
        privateKey: `-----BEGIN PRIVATE KEY----- ${privateKey} -----END PRIVATE KEY-----`,
      }),
    ).toEqual(made);
  });

  test.each(["x", "AAAA", btoa("not a key")])("rejects %j", (privateKey) => {
    expect(() => sendGridEvents.createSecrets({ privateKey })).toThrow(Problem);
  });
});
