/** Builds the web UI into `dist/web`, unless it exists and is up to date. `npm ci` runs this. */
import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildReference } from "./build-reference.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "web");
const page = join(root, "dist", "web", "index.html");

if (import.meta.main) await buildWeb();

/** Resolves when `dist/web` is up to date. Does nothing without Vite, a development dependency. */
export async function buildWeb(): Promise<void> {
  buildReference();
  if (isFresh() || !hasVite()) return;
  const { build } = await import("vite");
  const { NODE_ENV: surrounding } = process.env;
  // Test runners set "test", with which the development build of React would be bundled.
  process.env["NODE_ENV"] = "production";
  await build({ configFile: join(source, "vite.config.ts") });
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
