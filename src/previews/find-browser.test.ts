import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, type FoundBrowser, type SearchEnvironment } from "./find-browser.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-find-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "other", "chromium"), { recursive: true });
  for (const name of ["bin/google-chrome", "bin/plain"]) writeFileSync(join(folder, name), "#!/bin/sh\n");
  chmodSync(join(folder, "bin", "google-chrome"), 0o755);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const environment = (changes: Partial<SearchEnvironment>): SearchEnvironment => ({
  searchPath: "",
  hasPackage: () => true,
  wellKnown: [],
  ...changes,
});
function problemOf(found: FoundBrowser): string {
  return found.kind === "none" ? found.problem : `found ${found.kind}`;
}

const only =
  (...names: readonly string[]) =>
  (name: string): boolean =>
    names.includes(name);

describe("auto", () => {
  test("prefers an installed browser over the package", () => {
    const searchPath = ["relative", join(folder, "other"), join(folder, "bin")].join(delimiter);
    const path = join(folder, "bin", "google-chrome");
    expect(findBrowser("auto", environment({ searchPath }))).toEqual({ kind: "executable", path });
    expect(findBrowser("auto", environment({ wellKnown: [path] }))).toEqual({ kind: "executable", path });
  });

  test("uses the package when the machine has no browser", () => {
    expect(findBrowser("auto", environment({}))).toEqual({ kind: "package" });
  });

  test("returns installation instructions when something is missing", () => {
    const none = findBrowser("auto", environment({ hasPackage: only("playwright-core") }));
    expect(problemOf(none)).toMatch(/RESTANTE_CHROMIUM.*npm install playwright-core @sparticuz/);
    const undriven = findBrowser("auto", environment({ hasPackage: only("@sparticuz/chromium") }));
    expect(problemOf(undriven)).toContain("npm install playwright-core");
  });
});

describe("a path", () => {
  test("is used when it is executable", () => {
    const path = join(folder, "bin", "google-chrome");
    expect(findBrowser(path, environment({}))).toEqual({ kind: "executable", path });
  });

  test.each(["bin/plain", "bin/gone", "other/chromium"])("is refused when it is not executable: %s", (name) => {
    expect(findBrowser(join(folder, name), environment({}))).toEqual({
      kind: "none",
      problem: "RESTANTE_CHROMIUM (or --browser) is not an executable file",
    });
  });
});

test("off finds no browser even when one is installed", () => {
  expect(problemOf(findBrowser("off", environment({})))).toContain("RESTANTE_CHROMIUM=off");
});

test("finds this project's own packages", () => {
  expect(["executable", "package"]).toContain(findBrowser("auto").kind);
});
