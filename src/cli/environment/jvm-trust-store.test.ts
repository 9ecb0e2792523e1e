import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { createJvmTrustStore } from "./trust-files.ts";

const certificates = rootCertificates.slice(0, 3);

/** Returns the values of constructed DER and of OCTET STRINGs that contain DER, in depth; throws when lengths do not match. */
function valuesIn(bytes: Buffer): readonly { readonly tag: number; readonly value: Buffer }[] {
  const values = [];
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, first = 0] = bytes.subarray(at);
    const octets = first < 0x80 ? 0 : first - 0x80;
    const length = octets === 0 ? first : bytes.readUIntBE(at + 2, octets);
    const start = at + 2 + octets;
    at = start + length;
    if (at > bytes.length) throw new Error(`a value of ${String(length)} bytes exceeds its container`);
    const value = bytes.subarray(start, at);
    values.push({ tag, value });
    const isNested = (tag & 0x20) !== 0 || (tag === 0x04 && value[0] === 0x30 && !isCertificate(value));
    if (isNested) values.push(...valuesIn(value));
  }
  return values;
}

function isCertificate(value: Buffer): boolean {
  return certificates.some((pem) => new X509Certificate(pem).raw.equals(value));
}

test("contains each certificate with a name of its own and the attribute of trusted certificates", () => {
  const values = valuesIn(createJvmTrustStore(certificates));
  const ofTag = (tag: number) => values.filter((one) => one.tag === tag).map(({ value }) => value);
  expect(ofTag(0x04).filter(isCertificate)).toHaveLength(3);
  const names = ofTag(0x1e).map((value) => Buffer.from(value).swap16().toString("utf16le"));
  expect(names).toEqual(["restante-0", "restante-1", "restante-2"]);
  // 2.16.840.1.113894.746875.1.1, and anyExtendedKeyUsage as its value.
  const identifiers = ofTag(0x06).map((value) => value.toString("hex"));
  expect(identifiers.filter((one) => one === "6086480186f966adca7b0101")).toHaveLength(3);
  expect(identifiers.filter((one) => one === "551d2500")).toHaveLength(3);
});

test("throws for what is no certificate", () => {
  expect(() => createJvmTrustStore(["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])).toThrow("asn1");
});
