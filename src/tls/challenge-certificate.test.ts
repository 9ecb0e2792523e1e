import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { challengeCertificate } from "./challenge-certificate.ts";

test("returns a certificate of the name with the digest in a critical acmeIdentifier (RFC 8737 §3)", () => {
  const now = Date.UTC(2026, 0, 1);
  const { cert, key } = challengeCertificate("mx.corp.example", { keyAuthorization: "token.thumbprint", now });
  const certificate = new X509Certificate(cert);
  expect(certificate.subjectAltName).toBe("DNS:mx.corp.example");
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect([certificate.validFromDate.getTime() < now, certificate.validToDate.getTime() > now]).toEqual([true, true]);
  const digest = createHash("sha256").update("token.thumbprint").digest("hex");
  // Object identifier 1.3.6.1.5.5.7.1.31, TRUE, and an OCTET STRING within the one of the extension.
  expect(certificate.raw.toString("hex")).toContain(`06082b0601050507011f0101ff04220420${digest}`);
});
