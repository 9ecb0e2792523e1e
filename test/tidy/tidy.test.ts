/** Project rules that no linter checks. */
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { importTable, operationsTable, roomOf, testRooms } from "./import-table.ts";
import { filesAtTop, filesBelow, readText, root } from "./source-files.ts";

const sources = filesBelow("src", ".ts");
const webSources = [...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")];
const everything = [
  ...sources,
  ...webSources,
  ...filesBelow("test", ".ts"),
  ...filesBelow("compat", ".ts"),
  ...filesBelow("bench", ".ts"),
  ...filesBelow("scripts", ".ts"),
];
const pages = [...filesBelow("docs", ".md"), ...filesAtTop(".md")];
const isTest = (path: string): boolean => /\.test(-aid)?\.ts$/.test(path) || path.includes("/conformance/");

describe("rooms", () => {
  test("contain every source file", () => {
    expect(sources.filter((file) => roomOf(file.path) === undefined).map((file) => file.path)).toEqual([]);
  });

  test("import only what the table allows", () => {
    expect(sources.flatMap((file) => foreignImports(file.path, file.text))).toEqual([]);
  });

  test("import inside operations what the table of its folders shows", () => {
    const used = Object.fromEntries(Object.keys(operationsTable).map((folder) => [folder, new Set<string>()]));
    for (const { path, text } of sources.filter((file) => folderOf(file.path) !== undefined && !isTest(file.path))) {
      const folder = folderOf(path) ?? "";
      const imported = importsOf(path, text).flatMap((target) => folderOf(target) ?? []);
      used[folder] = new Set([...(used[folder] ?? []), ...imported.filter((target) => target !== folder)]);
    }
    const allowed = Object.entries(operationsTable).map(([folder, names]) => [folder, new Set(names)]);
    expect(used).toEqual(Object.fromEntries(allowed));
  });

  test("import inside operations only folders from rows above their own", () => {
    const order = Object.keys(operationsTable);
    const upward = Object.entries(operationsTable).flatMap(([folder, allowed]) =>
      allowed.filter((name) => !order.slice(0, order.indexOf(folder)).includes(name)).map((name) => [folder, name]),
    );
    expect(upward).toEqual([]);
  });

  test("are documented in ARCHITECTURE.md as in the tables", () => {
    expect(Object.fromEntries(documentedRows(/^\| `((?!web\/|operations\/)[a-z0-9/-]+)` \| (.*) \|$/gm))).toEqual(
      importTable,
    );
    const folders = documentedRows(/^\| `(operations\/[a-z-]+)` \| (.*) \|$/gm);
    const prefixed = Object.entries(operationsTable).map(([folder, allowed]) => [
      `operations/${folder}`,
      allowed.map((name) => `operations/${name}`),
    ]);
    expect(folders).toEqual(prefixed);
  });

  test("import only types from the service, in the web UI", () => {
    const outside = webSources.flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^(import|export)( type)? [^;]*?from "(\.[^"]+)"/gm), ([, , type, target = ""]) => {
        return { path, isType: type !== undefined, target: posix.join(posix.dirname(path), target) };
      }).filter(({ target }) => !target.startsWith("web/") && !target.endsWith(".test-aid.ts")),
    );
    expect(outside.length).toBeGreaterThan(3);
    expect(
      outside.filter(({ isType, target }) => !isType || !/^src\/(?:http\/wire|core|operations)\//.test(target)),
    ).toEqual([]);
  });

  test("keep each library of the field behind one file", () => {
    const users = new Map<string, Set<string>>();
    for (const file of sources.filter((one) => !isTest(one.path))) {
      for (const library of libraryImports(file.text))
        users.set(library, (users.get(library) ?? new Set()).add(file.path));
    }
    const shared = Array.from(users).filter(([, files]) => files.size > 1);
    expect(shared.map(([library, files]) => `${library}: ${[...files].join(", ")}`)).toEqual([]);
  });
});

describe("files", () => {
  test("document every export", () => {
    const bare = [...sources, ...webSources.filter(({ path }) => !path.endsWith(".config.ts"))]
      .filter((file) => !isTest(file.path))
      .flatMap((file) => undocumentedExports(file.path, file.text));
    expect(bare).toEqual([]);
  });

  test("contain no TODO, suppression, or exclusive test", () => {
    const mark = /\b(TODO|FIXME|XXX|HACK)\b|@ts-(ignore|expect-error|nocheck)|\.(only|skip)\(/;
    const own = "test/tidy/tidy.test.ts";
    expect(everything.filter((file) => file.path !== own && mark.test(file.text)).map((file) => file.path)).toEqual([]);
  });

  test("generate text and parts of URLs without the table that fast-check would build in each process", () => {
    expect(
      everything.filter(({ text }) => /unit:\s"binary"|\bfc\.web(?!Authority)/.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  test("have at most 300 lines", () => {
    const large = [...sources, ...webSources].filter(
      ({ path, text }) =>
        !isTest(path) &&
        !["web/strings.ts", "web/page-strings.ts"].includes(path) &&
        !path.startsWith("src/client/generated/") &&
        text.split("\n").length > 301,
    );
    expect(large.map((file) => file.path)).toEqual([]);
  });

  test("have no vague names", () => {
    const vague = /(^|[-/])(manager|helper|helpers|util|utils|data|info|misc|common)([-./]|$)/;
    // Files of SMTP commands are named after the command, and one of them is DATA.
    const named = everything.map((file) => file.path).filter((path) => !path.startsWith("src/ingress/smtp/verbs/"));
    expect(named.filter((path) => vague.test(path))).toEqual([]);
  });
});

describe("documentation", () => {
  test("links only to files that exist", () => {
    const broken = pages.flatMap((page) =>
      Array.from(page.text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g), (match) => match[1] ?? "")
        .filter((target) => !existsSync(posix.join(root, posix.dirname(page.path), target)))
        .map((target) => `${page.path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("names only files that exist", () => {
    const file = /`((?:src|web|test|compat|bench|scripts|deploy|clients|examples|site)\/[\w./-]+|[\w-]+\.tsx?)`/g;
    const named = pages.flatMap(({ path, text }) =>
      Array.from(text.matchAll(file), ([, name = ""]) => ({ page: path, name })),
    );
    expect(named.length).toBeGreaterThan(300);
    const baseNames = new Set(everything.map(({ path }) => posix.basename(path)));
    const isThere = (name: string): boolean => baseNames.has(name) || existsSync(posix.join(root, name));
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  });

  const decisions = filesBelow("docs/decisions", ".md").filter((page) => /\/\d{4}-/.test(page.path));

  test("lists every decision by its title", () => {
    const lines = readText("docs/decisions/README.md").split("\n");
    const entries = decisions.map(({ path, text }) => `- [${titleOf(text)}](${posix.basename(path)})`);
    expect(entries.length).toBeGreaterThan(80);
    expect(lines.filter((line) => line.startsWith("- "))).toEqual(entries);
  });

  test("states a decision in at most 250 words, besides tables and code", () => {
    const long = decisions.map(({ path, text }) => ({ path, words: wordsOf(text).length }));
    expect(long.filter(({ words }) => words > 250)).toEqual([]);
    expect(wordsOf("# Title\n\none two\n\n| three | four |\n\n```sh\nfive\n```\nsix")).toHaveLength(5);
  });

  test("shows every defect in the reference", () => {
    const defects = Array.from(readText("src/mime/part.ts").matchAll(/^ {2}\| "(\w+)"/gm), (match) => match[1] ?? "");
    const shown = readText("docs/reference/message.md");
    expect(defects.length).toBeGreaterThan(10);
    expect(defects.filter((defect) => !shown.includes(`\`${defect}\``))).toEqual([]);
  });

  test("has a changelog", () => {
    const changelog = readText("CHANGELOG.md");
    expect(changelog).toMatch(/^# Changelog\n/);
    expect(changelog).toMatch(/^## /m);
  });
});

function titleOf(page: string): string {
  return page.slice(2, page.indexOf("\n"));
}

/** Returns the words of a page besides tables and blocks of code. */
function wordsOf(page: string): readonly string[] {
  const prose = page.replaceAll(/^( *)```[^]*?^\1```$/gm, "").replaceAll(/^ *\|.*$/gm, "");
  return prose.split(/\s+/).filter((word) => word !== "");
}

function foreignImports(path: string, text: string): readonly string[] {
  const room = roomOf(path) ?? "";
  const allowed = new Set([room, ...(importTable[room] ?? []), ...(isTest(path) ? testRooms : [])]);
  return importsOf(path, text)
    .filter((target) => target.startsWith("src/") && !isAllowed(target, allowed))
    .map((target) => `${path} → ${target}`);
}

/** Returns the files that a file imports, as paths below the root. */
function importsOf(path: string, text: string): readonly string[] {
  return Array.from(text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g), ([, target = ""]) =>
    posix.join(posix.dirname(path), target),
  );
}

/** Returns the folder of a file in `operations`; `context.ts` belongs to `services`. */
function folderOf(path: string): string | undefined {
  const [, folder, file] = /^src\/operations\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  return folder !== undefined && file === undefined ? "services" : folder;
}

/** Returns the rows of a table in ARCHITECTURE.md: the name, and the names that it may import. */
function documentedRows(row: RegExp): readonly (readonly [string, readonly string[]])[] {
  return Array.from(readText("ARCHITECTURE.md").matchAll(row), ([, name = "", allowed = ""]) => [
    name,
    Array.from(allowed.matchAll(/`([a-z0-9/-]+)`/g), ([, one = ""]) => one),
  ]);
}

function isAllowed(target: string, allowed: ReadonlySet<string>): boolean {
  const room = roomOf(target) ?? "";
  return (
    allowed.has(room) || Array.from(allowed).some((name) => target.startsWith(`src/${name}/`) && name.includes("/"))
  );
}

function libraryImports(text: string): readonly string[] {
  const names = Array.from(
    text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^".][^"]*)"/gm),
    (match) => match[1] ?? "",
  );
  return names.filter((name) => !name.startsWith("node:"));
}

function undocumentedExports(path: string, text: string): readonly string[] {
  const lines = text.split("\n");
  return lines
    .map((line, at) => ({ line, before: lines[at - 1] ?? "" }))
    .filter(({ line, before }) => /^export (?!\{|\*)/.test(line) && !before.trimEnd().endsWith("*/"))
    .map(({ line }) => `${path}: ${line}`);
}
