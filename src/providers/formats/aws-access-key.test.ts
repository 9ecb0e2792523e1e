import { expect, test } from "vitest";
import { accessKeyOf, readAccessKey, regionOf, signedServiceOf } from "./aws-access-key.ts";

const scope = "20261120/eu-west-1/ses/aws4_request";

test.each<[string, string | null]>([
  [`AWS4-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=host, Signature=00`, "AKID"],
  [`AWS4-HMAC-SHA256 SignedHeaders=host,Credential=a/key/with+slashes/${scope},Signature=00`, "a/key/with+slashes"],
  [`AWS4-ECDSA-P256-SHA256 Credential=AKID/${scope}`, "AKID"],
  ["AWS4-HMAC-SHA256 Credential=AKID/2026/eu-west-1/ses/aws4_request", null],
  ["AWS4-HMAC-SHA256 SignedHeaders=host", null],
  [`Bearer Credential=AKID/${scope}`, null],
  ["", null],
])("reads the access key id of %s", (authorization, key) => {
  expect(readAccessKey({ authorization }, [])).toBe(key);
});

test("reads key and region of a presigned request", () => {
  const fields = [["X-Amz-Credential", `AKID/${scope}`]] as const;
  expect(accessKeyOf({ key: null, fields })).toBe("AKID");
  expect(accessKeyOf({ key: "other", fields })).toBe("other");
  expect(regionOf({ headers: {}, fields })).toBe("eu-west-1");
  expect(regionOf({ headers: {}, fields: [] })).toBe("us-east-1");
});

test.each([
  [`AWS4-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=host`, "ses"],
  ["AWS4-HMAC-SHA256 Credential=AKID/20261120/eu-west-1/sns/aws4_request", "sns"],
  [`Bearer Credential=AKID/${scope}`, null],
  ["", null],
])("reads the signed service of %s", (authorization, service) => {
  expect(signedServiceOf(authorization)).toBe(service);
});
