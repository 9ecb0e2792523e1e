import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Root of the checkout. */
export const root: string = join(import.meta.dirname, "..", "..");

/** A file of the project: path from the root with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** All files below a folder of the checkout whose names end so, by path; nothing for a folder that is not there. */
export function filesBelow(folder: string, ending: string): readonly SourceFile[] {
  return listBelow(join(root, folder))
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file's text. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The files of the checkout's top folder whose names end so. */
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
