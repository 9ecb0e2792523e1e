/** Builds the web UI into `dist/web`, unless it exists and is up to date. `npm ci` runs this. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildReference } from "./build-reference.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "web");
const target = join(root, "dist", "web");
const page = join(target, "index.html");
/** Folder whose lock the only build of a checkout holds. */
const lockFolder = join(root, "node_modules", ".cache", "restante-web");
const lockPauseMs = 200;

if (import.meta.main) await buildWeb();

/**
 * Resolves when `dist/web` is up to date. Does nothing without Vite, a development dependency. Processes in one checkout
 * build one after the other, and a finished build replaces the former one at once, so that a test run finds a whole one.
 */
export async function buildWeb(): Promise<void> {
  buildReference();
  if (isFresh() || !hasVite()) return;
  const release = await lockBuild();
  try {
    if (!isFresh()) await build();
  } finally {
    release();
  }
}

async function lockBuild(): Promise<() => void> {
  const { tryLockDirectory } = await import("../src/store/sqlite/connection/lock.ts");
  mkdirSync(lockFolder, { recursive: true });
  for (;;) {
    const release = tryLockDirectory(lockFolder);
    if (release !== undefined) return release;
    await setTimeout(lockPauseMs);
  }
}

async function build(): Promise<void> {
  const { build: buildWithVite } = await import("vite");
  const { NODE_ENV: surrounding } = process.env;
  // Test runners set "test", with which the development build of React would be bundled.
  process.env["NODE_ENV"] = "production";
  const draft = `${target}.new`;
  await buildWithVite({ configFile: join(source, "vite.config.ts"), build: { outDir: draft } });
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
  if (surrounding === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = surrounding;
}

function isFresh(): boolean {
  const builtAt = changedAt(page);
  const files = readdirSync(source, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const inputs = [...files.map((entry) => join(entry.parentPath, entry.name)), join(root, "package-lock.json")];
  return inputs.every((file) => changedAt(file) < builtAt);
}

/** Returns the modification time in milliseconds since the Unix epoch; 0 for a missing file. */
function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function hasVite(): boolean {
  try {
    createRequire(import.meta.url).resolve("vite/package.json");
    return true;
  } catch {
    return false;
  }
}
