import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureSecretKey } from "./secret-key.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-secret-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

test("generates a key once, in a file with mode 0600", () => {
  const key = ensureSecretKey({ dataDir, secretKey: null });
  expect(key.byteLength).toBe(32);
  expect(statSync(join(dataDir, "secret-key")).mode & 0o777).toBe(0o600);
  expect(Buffer.from(ensureSecretKey({ dataDir, secretKey: null })).equals(key)).toBe(true);
});

test("returns RESTANTE_SECRET_KEY unchanged and writes no file", () => {
  const key = ensureSecretKey({ dataDir, secretKey: "a secret of our own" });
  expect(Buffer.from(key).toString()).toBe("a secret of our own");
  expect(() => statSync(join(dataDir, "secret-key"))).toThrow("ENOENT");
});

test("decodes a key with the prefix base64: only when it has 32 bytes", () => {
  const key = ensureSecretKey({ dataDir, secretKey: null });
  const content = readFileSync(join(dataDir, "secret-key"), "utf8").trim();
  expect(Buffer.from(ensureSecretKey({ dataDir, secretKey: `base64:${content}` })).equals(key)).toBe(true);
  const text = "base64:but-chosen";
  expect(Buffer.from(ensureSecretKey({ dataDir, secretKey: text })).toString()).toBe(text);
});

test("throws on a damaged file and does not replace it", () => {
  writeFileSync(join(dataDir, "secret-key"), "short\n");
  expect(() => ensureSecretKey({ dataDir, secretKey: null })).toThrow("does not hold a key");
});
