import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Root of the checkout. */
export const root: string = join(import.meta.dirname, "..", "..");

/** Project file: path from the root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Returns all files below a directory with the given name ending, sorted by path; none if the directory does not exist. */
export function filesBelow(folder: string, ending: string): readonly SourceFile[] {
  return listBelow(join(root, folder))
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the text of a file. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Returns the files of the root directory with the given name ending. */
export function filesAtTop(ending: string): readonly SourceFile[] {
  const names = readdirSync(root).filter((name) => name.endsWith(ending));
  return names.toSorted().map((path) => ({ path, text: readText(path) }));
}

function listBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name));
}
