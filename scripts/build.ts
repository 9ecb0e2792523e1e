/** Builds the published files: JavaScript, declarations and the web UI in `dist`, with an executable command line tool. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildWeb } from "./build-web.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

removeFormerBuild();
compile();
await buildWeb();
checkBin(join(dist, "cli", "main.js"));

/** The build of the web UI replaces its own folder, so that a service that serves it is not disturbed. */
function removeFormerBuild(): void {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist)) if (name !== "web") rmSync(join(dist, name), { recursive: true });
}

/**
 * Runs the compiler with the current Node, which may not be the first one in PATH. Types are checked by
 * `npm run check:types`; the build needs no inference, because every export has an explicit type.
 */
function compile(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const arguments_ = [join(typescript, "bin", "tsc"), "-p", join(root, "tsconfig.build.json"), "--noCheck"];
  const { status, error } = spawnSync(process.execPath, arguments_, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the compiler ended with status ${status}`);
}

function checkBin(file: string): void {
  if (!readFileSync(file, "utf8").startsWith("#!/usr/bin/env node\n"))
    throw new Error(`${file} has lost its first line`);
  chmodSync(file, 0o755);
}
