/** Checks that the packages in `clients` have the version of this package and what their registries ask for. */
import { describe, expect, test } from "vitest";
import { readText } from "./source-files.ts";

const { version } = JSON.parse(readText("package.json")) as { readonly version: string };

/** Places that name the version, by file. */
const places: readonly (readonly [file: string, place: RegExp])[] = [
  ["clients/python/pyproject.toml", /^version = "(.*)"$/m],
  ["clients/python/src/pytest_restante/testcontainers.py", /^DEFAULT_IMAGE = "restante:(.*)"$/m],
  ["clients/go/doc.go", /^const Version = "(.*)"$/m],
  ["clients/go/testcontainers/container.go", /DefaultImage = "restante:(.*)"$/m],
];

describe("the clients", () => {
  test.each(places)("%s names the version of the package", (file, place) => {
    expect(place.exec(readText(file))?.[1]).toBe(version);
  });

  test.each(["python", "go", "go/testcontainers"])("%s has the licence of the project", (client) => {
    expect(readText(`clients/${client}/LICENSE`)).toBe(readText("LICENSE"));
  });
});
