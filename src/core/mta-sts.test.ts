import { expect, test } from "vitest";
import { mtaStsPolicy } from "./mta-sts.ts";

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
