import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWeb } from "../scripts/build-web.ts";
import { runFolderVariable } from "../src/store/postgres/postgres.test-aid.ts";
import { mainFileVariable } from "../src/testing/service-process.ts";
import { bundleService } from "./bundle-service.ts";

/**
 * Builds the web UI and a bundle of the service, so that tests do not use an older build, and creates the directory of the run for resources that test
 * processes share, such as a PostgreSQL server. The returned function removes that directory.
 */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "restante-run-"));
  writeFileSync(join(folder, "pid"), String(process.pid));
  process.env[runFolderVariable] = folder;
  await buildWeb();
  process.env[mainFileVariable] = await bundleService();
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
