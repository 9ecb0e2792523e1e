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

test("a key is made once, for its owner only, and stays", () => {
  const key = ensureSecretKey({ dataDir, secretKey: null });
  expect(key.byteLength).toBe(32);
  expect(statSync(join(dataDir, "secret-key")).mode & 0o777).toBe(0o600);
  expect(Buffer.from(ensureSecretKey({ dataDir, secretKey: null })).equals(key)).toBe(true);
});

test("the operator's own key is taken as it is, and nothing is written", () => {
  const key = ensureSecretKey({ dataDir, secretKey: "a secret of our own" });
  expect(Buffer.from(key).toString()).toBe("a secret of our own");
  expect(() => statSync(join(dataDir, "secret-key"))).toThrow("ENOENT");
});

test("the key of another data folder is taken as its file holds it, and what only looks so as text", () => {
  const key = ensureSecretKey({ dataDir, secretKey: null });
  const content = readFileSync(join(dataDir, "secret-key"), "utf8").trim();
  expect(Buffer.from(ensureSecretKey({ dataDir, secretKey: `base64:${content}` })).equals(key)).toBe(true);
  const text = "base64:but-chosen";
  expect(Buffer.from(ensureSecretKey({ dataDir, secretKey: text })).toString()).toBe(text);
});

test("a damaged file is not replaced", () => {
  writeFileSync(join(dataDir, "secret-key"), "short\n");
  expect(() => ensureSecretKey({ dataDir, secretKey: null })).toThrow("does not hold a key");
});
