/** Checks that the packages in `clients` have the version of this package and what their registries ask for. */
import { describe, expect, test } from "vitest";
import { readText } from "./source-files.ts";

const { version } = JSON.parse(readText("package.json")) as { readonly version: string };

/** Places that name the version, by file. */
const places: readonly (readonly [file: string, place: RegExp])[] = [
  ["clients/python/pyproject.toml", /^version = "(.*)"$/m],
  ["clients/python/src/pytest_restante/testcontainers.py", /^DEFAULT_IMAGE = "restante:(.*)"$/m],
  ["clients/java/pom.xml", /<artifactId>restante-parent<\/artifactId>\s*<version>(.*)<\/version>/],
  ["clients/java/junit5/pom.xml", /<artifactId>restante-parent<\/artifactId>\s*<version>(.*)<\/version>/],
  ["clients/java/testcontainers/pom.xml", /<artifactId>restante-parent<\/artifactId>\s*<version>(.*)<\/version>/],
  [
    "clients/java/testcontainers/src/main/java/restante/testcontainers/RestanteContainer.java",
    /DEFAULT_IMAGE = "restante:(.*)";$/m,
  ],
  ["src/testing/restante-container.ts", /^const defaultImage = "restante:(.*)";$/m],
  ["clients/go/doc.go", /^const Version = "(.*)"$/m],
  ["clients/go/testcontainers/container.go", /DefaultImage = "restante:(.*)"$/m],
];

/** Elements that Maven Central requires of a published artifact. */
const centralElements = ["name", "description", "url", "licenses", "developers", "scm"];

describe("the clients", () => {
  test("of Java have the elements that Maven Central requires", () => {
    const parent = readText("clients/java/pom.xml");
    expect(centralElements.filter((name) => !new RegExp(`^  <${name}>`, "m").test(parent))).toEqual([]);
  });

  test.each(places)("%s names the version of the package", (file, place) => {
    expect(place.exec(readText(file))?.[1]).toBe(version);
  });

  test.each(["python", "java", "go", "go/testcontainers"])("%s has the licence of the project", (client) => {
    expect(readText(`clients/${client}/LICENSE`)).toBe(readText("LICENSE"));
  });
});
