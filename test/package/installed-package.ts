/** The package as npm would publish it, installed in a separate directory. */
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Directory of the checkout. */
export const root: string = join(import.meta.dirname, "..", "..");

/** Members of `package.json` that tests read. */
export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

/** The package installed in a project. */
export interface InstalledPackage extends Disposable {
  /** Directory of the project. */
  readonly folder: string;
  /** Directory of the package in it. */
  readonly installed: string;
  /** Path of the CLI entry point. */
  readonly main: string;
  readonly manifest: Manifest;
}

/**
 * Packs the checkout and unpacks the tarball. The checkout's dependencies stand in for installed ones, so that no registry
 * is needed; optional peer dependencies are absent.
 */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), "restante-package-"));
  runProgram("npm", ["pack", "--pack-destination", folder, "--loglevel=error"], root);
  const installed = join(folder, "node_modules", "restante");
  mkdirSync(installed, { recursive: true });
  const [tarball = ""] = globSync("*.tgz", { cwd: folder });
  runProgram("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", installed], folder);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(installed, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  return {
    folder,
    installed,
    main: join(installed, manifest.bin["restante"] ?? ""),
    manifest,
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a program and returns its standard output; throws with all its output when it fails. */
export function runProgram(command: string, argv: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, argv, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}
