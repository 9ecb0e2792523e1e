/** Holds the wording rules of CONTRIBUTING.md: paraphrases that were replaced by the terms of the field stay out. */
import { expect, test } from "vitest";
import { filesAtTop, filesBelow, type SourceFile } from "./source-files.ts";
import { bannedNames, bannedPhrases, type BannedWording } from "./banned-wording.ts";

const endings = [".ts", ".tsx", ".css", ".md", ".yaml"];
const folders = ["src", "web", "test", "compat", "bench", "scripts", "docs", "deploy"];
const own = new Set(["test/tidy/language.test.ts", "test/tidy/banned-wording.ts"]);
const files = [
  ...folders.flatMap((folder) => endings.flatMap((ending) => filesBelow(folder, ending))),
  ...filesAtTop(".md"),
].filter(({ path }) => !own.has(path) && !path.includes("/dist/"));
const sources = files.filter(({ path }) => /\.tsx?$/.test(path));

/** Returns expressions of which one matches each line that a banned wording matches: one for each set of flags. */
function combined(banned: readonly BannedWording[]): readonly RegExp[] {
  const byFlags = Map.groupBy(banned, ({ found }) => found.flags);
  return Array.from(byFlags, ([flags, some]) => new RegExp(some.map(({ found }) => found.source).join("|"), flags));
}

/** Returns "path:line: found → replacement" for each occurrence. */
function occurrences(searched: readonly SourceFile[], banned: readonly BannedWording[]): readonly string[] {
  const any = combined(banned);
  return searched.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) =>
      (any.some((expression) => expression.test(line)) ? banned : []).flatMap(({ found, instead }) => {
        const match = found.exec(line);
        return match === null ? [] : [`${path}:${at + 1}: "${match[0]}" → ${instead}`];
      }),
    ),
  );
}

test("no text contains a paraphrase of a standard term", () => {
  expect(occurrences(files, bannedPhrases)).toEqual([]);
});

test("no identifier or file name uses a replaced name", () => {
  expect(occurrences(sources, bannedNames)).toEqual([]);
  const names = sources.map(({ path }) => ({ path, text: path }));
  expect(occurrences(names, bannedNames)).toEqual([]);
});

test("no title of a test begins with a preposition or a conjunction", () => {
  const words = "of|that|and|with|when|for|in|at|to|by|from|on|without|after|also|as|unless";
  const opening = new RegExp(`(?:\\b(?:test|it)(?:\\.\\w+)*|[\\])\\w]\\))\\(\\s*["\`]((?:${words})\\b[^"\`]*)`, "g");
  const tests = sources.filter(({ path }) => /\.test|^test\/|\/conformance\//.test(path));
  const found = tests.flatMap(({ path, text }) =>
    Array.from(text.matchAll(opening), (match) => {
      const line = text.slice(0, match.index).split("\n").length;
      return `${path}:${line}: "${match[1]}" → a subject, or a verb in the third person`;
    }),
  );
  expect(found).toEqual([]);
});

test("no docstring begins with What, Whether a thing, How, or Who", () => {
  const opening = /\/\*\*\s+(What|How|Who|Whoever|Where|Why|Nobody|Nothing|Says|Tells|Asks)\b/g;
  // Descriptions of the OpenAPI document are no docstrings.
  const written = sources.filter(({ path }) => !path.startsWith("src/client/generated/"));
  const found = written.flatMap(({ path, text }) =>
    Array.from(text.matchAll(opening), (match) => {
      const line = text.slice(0, match.index).split("\n").length;
      return `${path}:${line}: docstring begins with "${match[1]}" → a verb in the third person, or a noun phrase`;
    }),
  );
  expect(found).toEqual([]);
});
