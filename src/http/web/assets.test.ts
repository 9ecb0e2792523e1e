import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAssets } from "./assets.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-assets-"));
  mkdirSync(join(folder, "web", "assets"), { recursive: true });
  writeFileSync(join(folder, "secret"), "not served");
  writeFileSync(join(folder, "web", "index.html"), "<p>page");
  writeFileSync(join(folder, "web", "assets", "a.js"), "1");
  writeFileSync(join(folder, "web", "assets", "a.bin"), "1");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("finds files by name, plain and compressed, with their types", async () => {
  const assets = openAssets(join(folder, "web"));
  const page = await assets.find("index.html");
  expect(page?.contentType).toBe("text/html; charset=utf-8");
  expect(gunzipSync(page?.gzip ?? "")).toEqual(Buffer.from(page?.bytes ?? ""));
  expect((await assets.find("assets/a.js"))?.contentType).toBe("text/javascript; charset=utf-8");
  expect((await assets.find("assets/a.bin"))?.contentType).toBe("application/octet-stream");
});

test.each([
  "../secret",
  "assets/../../secret",
  "/index.html",
  "assets",
  "",
  ".",
  "%2e%2e/secret",
  "..\\secret",
  "__proto__",
])("finds no file for %j", async (name) => {
  expect(await openAssets(join(folder, "web")).find(name)).toBeUndefined();
});

test("finds a folder that is created later", async () => {
  const assets = openAssets(join(folder, "later"));
  expect(await assets.find("index.html")).toBeUndefined();
  mkdirSync(join(folder, "later"));
  writeFileSync(join(folder, "later", "index.html"), "now");
  expect(await assets.find("index.html")).toBeDefined();
});

test("writes the path of the service into pages, before the addresses of their files", async () => {
  const page = '<html data-base=""><script src="./a.js"></script>';
  writeFileSync(join(folder, "web", "assets", "page.html"), page);
  const found = async (basePath: string): Promise<string> =>
    Buffer.from((await openAssets(join(folder, "web"), basePath).find("assets/page.html"))?.bytes ?? "").toString();
  expect(await found("")).toBe('<html data-base=""><script src="/a.js"></script>');
  expect(await found("/a&b/$&")).toBe('<html data-base="/a&amp;b/$&amp;"><script src="/a&amp;b/$&amp;/a.js"></script>');
});
