/** Snapshots of templates: a text file for each case, in a folder beside the templates. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeDifference } from "./line-difference.ts";

/** Name of the folder. */
export const snapshotFolder = "__snapshots__";

/** Outcome of a comparison. */
export interface SnapshotOutcome {
  /** Path in the folder of the templates. */
  readonly file: string;
  readonly kind: "equal" | "written" | "updated" | "missing" | "different";
  /** Lines that differ; "" without a difference. */
  readonly difference: string;
}

/** Treatment of files that differ or are missing. */
export interface SnapshotPolicy {
  /** Whether changed files are written. */
  readonly isUpdating: boolean;
  /** Whether missing files are written. */
  readonly isWriting: boolean;
}

/** Compares the snapshot of a case with its file, and writes it as the policy says. */
export function compareSnapshot(
  folder: string,
  { id, snapshot }: { readonly id: string; readonly snapshot: string },
  { isUpdating, isWriting }: SnapshotPolicy,
): SnapshotOutcome {
  const file = `${snapshotFolder}/${id}.txt`;
  const path = join(folder, file);
  const former = existsSync(path) ? readFileSync(path, "utf8").replaceAll("\r\n", "\n") : null;
  if (former === snapshot) return { file, kind: "equal", difference: "" };
  const isWritten = isUpdating || (former === null && isWriting);
  if (isWritten) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, snapshot);
  }
  if (former === null) return { file, kind: isWritten ? "written" : "missing", difference: "" };
  return { file, kind: isWritten ? "updated" : "different", difference: describeDifference(former, snapshot) };
}

/** Returns the snapshots without a case, and deletes them when asked to. */
export function findObsoleteSnapshots(
  folder: string,
  ids: ReadonlySet<string>,
  isDeleting: boolean,
): readonly string[] {
  const root = join(folder, snapshotFolder);
  if (!existsSync(root)) return [];
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const isOfCase = (path: string): boolean => {
    if (path.endsWith(".txt")) return ids.has(path.slice(0, -".txt".length));
    // Of a screenshot, the name of the email client follows.
    const [, id = ""] = /^(.*?)(?:\.difference)?\.png$/.exec(path) ?? [];
    return ids.has(id.slice(0, Math.max(0, id.lastIndexOf("."))));
  };
  const obsolete = files.filter((path) => /\.(?:txt|png)$/.test(path) && !isOfCase(path));
  for (const path of isDeleting ? obsolete : []) rmSync(join(root, path));
  return obsolete.map((path) => `${snapshotFolder}/${path}`).toSorted();
}
