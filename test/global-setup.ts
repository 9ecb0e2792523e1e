import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFolderVariable } from "../src/testing/run-variables.ts";

/**
 * Creates the directory of the run for resources that test processes share, such as a PostgreSQL server. The returned
 * function removes it.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "restante-run-"));
  writeFileSync(join(folder, "pid"), String(process.pid));
  process.env[runFolderVariable] = folder;
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
