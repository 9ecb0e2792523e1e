/** Builds the published files: JavaScript, declarations and the web UI in `dist`, with an executable command line tool. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildWeb } from "./build-web.ts";
import { bundleService } from "./bundle-service.ts";
import { isBuildCurrent, sourceStamp, stampFile } from "./source-stamp.js";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

if (!isBuildCurrent()) await buildService();
await buildWeb();

/** Builds all but the web UI. `npm start` runs the build once it has the stamp of the sources. */
async function buildService(): Promise<void> {
  rmSync(stampFile, { force: true });
  removeFormerBuild();
  // Before the build, so that it is out of date when a source is edited meanwhile.
  const stamp = sourceStamp();
  declareTypes();
  await bundleService();
  // Read when the first browser starts.
  cpSync(join(root, "src", "previews", "fonts"), join(dist, "previews", "fonts"), { recursive: true });
  checkBin(join(dist, "cli", "main.js"));
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** The build of the web UI replaces its own folder, so that a service that serves it is not disturbed. */
function removeFormerBuild(): void {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist)) if (name !== "web") rmSync(join(dist, name), { recursive: true });
}

/**
 * Writes the declarations. Runs the compiler with the current Node, which may not be the first one in PATH. Types are checked by
 * `npm run check:types`; the build needs no inference, because every export has an explicit type.
 */
function declareTypes(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const arguments_ = [
    join(typescript, "bin", "tsc"),
    "-p",
    join(root, "tsconfig.build.json"),
    "--noCheck",
    "--emitDeclarationOnly",
  ];
  const { status, error } = spawnSync(process.execPath, arguments_, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the compiler ended with status ${status}`);
}

function checkBin(file: string): void {
  if (!readFileSync(file, "utf8").startsWith("#!/usr/bin/env node\n"))
    throw new Error(`${file} has lost its first line`);
  chmodSync(file, 0o755);
}
