import { expect, test } from "vitest";
import { isPolicyHost, mtaStsPolicy } from "./mta-sts.ts";

test("returns a policy that names the mail host, with CRLF line ends (RFC 8461 §3.2)", () => {
  const { host, text } = mtaStsPolicy("corp.example", "mx.corp.example", "enforce");
  expect(host).toBe("mta-sts.corp.example");
  expect(text).toBe("version: STSv1\r\nmode: enforce\r\nmx: mx.corp.example\r\nmax_age: 1209600\r\n");
});

test("returns an id of at most 32 letters and digits, which differs for each text", () => {
  const policies = [
    mtaStsPolicy("corp.example", "mx.corp.example", "enforce"),
    mtaStsPolicy("corp.example", "mx.corp.example", "testing"),
    mtaStsPolicy("corp.example", "mx2.corp.example", "testing"),
  ];
  expect(new Set(policies.map(({ id }) => id)).size).toBe(3);
  expect(policies.every(({ id }) => /^[a-z0-9]{1,32}$/.test(id))).toBe(true);
});

test.each([
  ["mta-sts.corp.example", true],
  ["mta-sts.abcd1234.corp.example", true],
  ["mta-sts.a.b.corp.example", true],
  ["corp.example", false],
  ["abcd1234.corp.example", false],
  ["mta-sts.", false],
  ["mta-sts.other.example", false],
  ["mta-sts.evilcorp.example", false],
  ["xmta-sts.abcd1234.corp.example", false],
  ["mta-sts.corp.example.other.example", false],
])("%s serves the policy: %s", (name, serves) => {
  expect(isPolicyHost(name, { host: "mta-sts.corp.example" })).toBe(serves);
});
