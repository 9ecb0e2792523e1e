import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWeb } from "../scripts/build-web.ts";
import { runFolderVariable } from "../src/store/postgres/postgres.test-aid.ts";

/**
 * Tests that look at the web UI look at the one in the sources, not at an older build. What tests share beyond a process,
 * such as a PostgreSQL, lives as long as the folder of the run; what is returned removes it.
 */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "restante-run-"));
  writeFileSync(join(folder, "pid"), String(process.pid));
  process.env[runFolderVariable] = folder;
  await buildWeb();
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
