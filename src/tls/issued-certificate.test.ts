import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthority, createServerIdentity, keyPem } from "./certificate.ts";
import {
  openAccountKey,
  readIssued,
  requestCertificate,
  storeSecretly,
  challengeCertificate,
} from "./issued-certificate.ts";
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";

const now = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const validity = { notBefore: now - dayMs, notAfter: now + 90 * dayMs };
const authority = createAuthority({ names: ["corp.example"], ...validity });
const issued = createServerIdentity({ names: ["mx.corp.example"], ...validity }, authority);
const chain = issued.certificate.toString() + authority.certificate.toString();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-issued-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("readIssued", () => {
  const write = (text: string): string => {
    const file = join(folder, "server.pem");
    writeFileSync(file, text);
    return file;
  };

  test("returns chain and key of a file until the certificate expires", () => {
    const file = write(chain + keyPem(issued.key));
    const read = readIssued(file, now);
    expect(read?.certificatePem).toBe(chain);
    expect(read?.keyPem).toBe(keyPem(issued.key));
    expect(readIssued(file, validity.notAfter - 1000)).toBeDefined();
    expect(readIssued(file, validity.notAfter)).toBeUndefined();
  });

  test("returns the directory that issued it, which is on the line before the chain", () => {
    const directory = "https://ca.example/directory";
    const read = readIssued(write(`${directory}\n${chain}${keyPem(issued.key)}`), now);
    expect([read?.directory, read?.certificatePem]).toEqual([directory, chain]);
    expect(readIssued(write(chain + keyPem(issued.key)), now)?.directory).toBe("");
  });

  test.each([
    ["is missing", null],
    ["is empty", ""],
    ["has no key", chain],
    ["has no certificate", keyPem(issued.key)],
    ["has the key of another certificate", chain + keyPem(authority.key)],
    ["is not PEM", "\0".repeat(1000)],
  ])("returns undefined when the file %s", (_, text) => {
    expect(readIssued(text === null ? join(folder, "missing") : write(text), now)).toBeUndefined();
  });
});

describe("requestCertificate", () => {
  test("refuses a chain for another key", () => {
    const { complete } = requestCertificate(["mx.corp.example"]);
    expect(() => complete("https://ca.example/", chain)).toThrow("for another key or other names");
    expect(() => complete("https://ca.example/", "no PEM")).toThrow("for another key or other names");
  });
});

test("storeSecretly writes a file that only its owner may read, in a folder of the same kind", () => {
  const file = join(folder, "acme", "server.pem");
  storeSecretly(file, "a");
  storeSecretly(file, "b");
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["b", 0o600]);
  expect(statSync(join(folder, "acme")).mode & 0o777).toBe(0o700);
});

describe("openAccountKey", () => {
  test("creates a key that only its owner may read, and returns it again", () => {
    const file = join(folder, "acme", "account-key.pem");
    const key = openAccountKey(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "acme")).mode & 0o777).toBe(0o700);
    expect(keyPem(openAccountKey(file))).toBe(keyPem(key));
  });

  test("throws for a file that contains something else, instead of replacing it", () => {
    const file = join(folder, "account-key.pem");
    writeFileSync(file, "something else");
    expect(() => openAccountKey(file)).toThrow(/./);
    expect(readFileSync(file, "utf8")).toBe("something else");
  });
});

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
