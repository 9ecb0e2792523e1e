/** Checks that the packages in `clients` have the version of this package and what their registries ask for. */
import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { namedFiles, withRepository } from "../../scripts/name-repository.ts";
import { readText, root } from "./source-files.ts";

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
  ["clients/java/README.md", /<version>(.*)<\/version>/],
  ["clients/README.md", /^git tag clients\/go\/v(.*)$/m],
  ["clients/README.md", /^git tag clients\/go\/testcontainers\/v(.*)$/m],
  ["clients/go/doc.go", /^const Version = "(.*)"$/m],
  ["clients/go/testcontainers/container.go", /DefaultImage = "restante:(.*)"$/m],
];

/** Elements that Maven Central requires of a published artifact. */
const centralElements = ["name", "description", "url", "licenses", "developers", "scm"];

describe("the clients", () => {
  test("have the elements that Maven Central requires, in Java", () => {
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

describe("the name of the repository", () => {
  /** Address of the checkout's repository; that of an example until it has one. */
  const [, address = "github.com/Acme/mail-store"] = /^module (github\.com\/.*)\/clients\/go$/m.exec(
    readText("clients/go/go.mod"),
  ) ?? [undefined];
  const repository = address.replace("github.com/", "");
  const group = `io.github.${(repository.split("/")[0] ?? "").toLowerCase()}`;
  const named = new Map(
    globSync(namedFiles, { cwd: root }).map((path) => [path, withRepository(readText(path), repository)]),
  );
  const all = (file: string, pattern: RegExp): readonly string[] =>
    Array.from((named.get(file) ?? "").matchAll(pattern), ([, found = ""]) => found);

  test("replaces every placeholder", () => {
    const placeholders = /OWNER|restante\.example(?!\.com)|<groupId>restante<|until named/;
    expect(Array.from(named).filter(([, text]) => placeholders.test(text))).toEqual([]);
  });

  test("is in the group of all Java artifacts, and in the README", () => {
    const groups = /<groupId>(io\.github\.[^<]*)<\/groupId>/g;
    expect(all("clients/java/pom.xml", groups)).toEqual([group]);
    expect(all("clients/java/junit5/pom.xml", groups)).toEqual([group]);
    expect(all("clients/java/testcontainers/pom.xml", groups)).toEqual([group, group]);
    expect(all("clients/java/README.md", groups)).toEqual([group]);
    expect(all("clients/README.md", /`(io[^:`]*):/g)).toEqual([group, group]);
  });

  test("is the path of the Go modules, which their folders extend, and of every import", () => {
    const module = `${address}/clients/go`;
    expect(all("clients/go/go.mod", /^module (.*)$/gm)).toEqual([module]);
    expect(all("clients/go/testcontainers/go.mod", /^module (.*)$/gm)).toEqual([`${module}/testcontainers`]);
    const imports = /restantetest "([^"]*)"/g;
    for (const file of ["clients/go/restante_test.go", "clients/go/README.md", "docs/guide/other-languages.md"])
      expect([file, ...all(file, imports)]).toEqual([file, module]);
  });

  test("is in the addresses that registries show", () => {
    const addresses = /https:\/\/(github\.com\/[\w-]+\/[\w-]+)/g;
    expect(all("clients/python/pyproject.toml", addresses)).toEqual(Array.from({ length: 4 }, () => address));
    expect(all("clients/java/pom.xml", addresses)).toEqual(Array.from({ length: 5 }, () => address));
  });

  test("is in lower case in names of images", () => {
    const names = all("docs/guide/install.md", /(ghcr\.io\/[^\s:]+)/g);
    const image = `ghcr.io/${repository.toLowerCase()}`;
    expect(names).toEqual([image, image.replace(/[^/]*$/, "charts/restante"), image]);
  });

  test.each(["", "acme", "acme/", "-acme/x", "a--b/x", "acme/mail store", "acme/x/y"])("cannot be %j", (repository) => {
    expect(() => withRepository("", repository)).toThrow("give the repository as OWNER/NAME");
  });
});
