/** ARCHITECTURE.md names files and constants that exist. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const files = globSync("src/**/*.ts", { cwd: root });
const namesIn = (pattern: RegExp): readonly string[] =>
  Array.from(page.matchAll(pattern), ([, name = ""]) => name).filter((name) => name !== "");

const webFiles = ["/web/base-path.ts", "/web/strings.ts", "/web/page-strings.ts", "/web/wire.ts", "/web/main.tsx"];

test("names files that exist", () => {
  const names = namesIn(/`([\w/.-]+\.ts)`/g);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => ![...files, ...webFiles].some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});

test("names limits that exist instead of repeating their values", () => {
  const code = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
  const names = namesIn(/`([a-z]+[A-Z]\w*)`/g);
  expect(names).toContain("farBehindMessageCount");
  expect(names.filter((name) => !code.includes(`const ${name} `))).toEqual([]);
});
