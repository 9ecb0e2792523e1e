/** Handlers that ignore an error must explain in a comment why that is harmless. */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** `catch {` and `.catch(() =>`: handlers without access to the error. */
const bareHandler = /\bcatch \{|\.catch\(\(\) =>/;
const comment = /^\s*(?:\/\/|\*|\/\*)/;

/** Whether a comment precedes the handler's line, is on it, or is the first line of its block. */
function isExplained(lines: readonly string[], at: number): boolean {
  const isOnLine = (lines[at] ?? "").includes("//");
  return isOnLine || comment.test(lines[at - 1] ?? "") || comment.test(lines[at + 1] ?? "");
}

test("every handler that ignores its error has a comment that says why", () => {
  const sources = [...filesBelow("src", ".ts"), ...filesBelow("web", ".ts"), ...filesBelow("web", ".tsx")];
  const silent = sources
    .filter(({ path }) => !/\.test\.tsx?$|\.test-aid\.tsx?$|^web\/dist\//.test(path))
    .flatMap(({ path, text }) => {
      const lines = text.split("\n");
      return lines.flatMap((line, at) =>
        bareHandler.test(line) && !isExplained(lines, at) ? [`${path}:${at + 1}`] : [],
      );
    });
  expect(silent).toEqual([]);
});
