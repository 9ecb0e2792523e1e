/**
 * Writes the software bill of materials of the published package, in CycloneDX: `node scripts/write-sbom.ts FILE`. It lists
 * the versions of the lock file. Uses a separate installation without development dependencies, because `npm sbom` on the
 * lock file alone omits dependencies that a development dependency also has.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("give the name of the file to write");
/** Members of the manifest that `npm sbom` would report as missing. */
const notInstalled = ["devDependencies", "workspaces", "peerDependencies", "peerDependenciesMeta"];

const temporary = mkdtempSync(join(tmpdir(), "restante-sbom-"));
try {
  // npm takes the name of the component from the folder.
  const folder = join(temporary, "restante");
  for (const name of ["package.json", "package-lock.json", "runtime/package.json", "runtime-oldest/package.json"]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(join(root, name), join(folder, name));
  }
  npm(folder, ["ci", "--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]);
  npm(folder, ["pkg", "delete", ...notInstalled]);
  writeFileSync(file, npm(folder, ["sbom", "--sbom-format=cyclonedx"]));
} finally {
  rmSync(temporary, { recursive: true });
}

/** Runs npm and returns its standard output. */
function npm(folder: string, words: readonly string[]): string {
  const { status, stdout } = spawnSync("npm", words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`npm ${words[0] ?? ""} exited with ${status}`);
  return stdout;
}
