/** No error is dropped without a reason: a handler that ignores its error says in a comment why that is harmless. */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** `catch {` and `.catch(() =>`: handlers that cannot report what they caught. */
const bareHandler = /\bcatch \{|\.catch\(\(\) =>/;
const comment = /^\s*(?:\/\/|\*|\/\*)/;

/** Whether a comment stands directly before the handler's line, on it, or as the first line of its block. */
function isExplained(lines: readonly string[], at: number): boolean {
  const isOnLine = (lines[at] ?? "").includes("//");
  return isOnLine || comment.test(lines[at - 1] ?? "") || comment.test(lines[at + 1] ?? "");
}

test("every handler that ignores its error has a comment that says why", () => {
  const silent = filesBelow("src", ".ts")
    .filter(({ path }) => !/\.test\.ts$|\.test-aid\.ts$|^src\/testing\//.test(path))
    .flatMap(({ path, text }) => {
      const lines = text.split("\n");
      return lines.flatMap((line, at) =>
        bareHandler.test(line) && !isExplained(lines, at) ? [`${path}:${at + 1}`] : [],
      );
    });
  expect(silent).toEqual([]);
});
