/** Builds the web UI into `dist/web`, unless it exists and is up to date. `npm ci` runs this. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { buildReference } from "./build-reference.ts";
import { replaceFolder } from "./replace-files.ts";

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
  await buildReference();
  const vite = findVite();
  if (isFresh() || vite === undefined) return;
  const release = await lockBuild();
  try {
    if (!isFresh()) await build(vite);
  } finally {
    release();
  }
}

async function lockBuild(): Promise<() => void> {
  const { tryLockDirectory } = await import("../src/store/sqlite/connection/store-directory.ts");
  mkdirSync(lockFolder, { recursive: true });
  for (;;) {
    const release = tryLockDirectory(lockFolder);
    if (release !== undefined) return release;
    await setTimeout(lockPauseMs);
  }
}

/** Builds in a process of its own: with the environment of a test runner, Vite would bundle the development build of React. */
async function build(vite: string): Promise<void> {
  const draft = `${target}.new`;
  const args = [vite, "build", "--config", join(source, "vite.config.ts"), "--outDir", draft];
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_ENV: "production" } });
  replaceFolder(draft, target);
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

/** Returns the file of the command of Vite; undefined where it is not installed. */
function findVite(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin", "vite.js");
  } catch {
    return undefined;
  }
}
