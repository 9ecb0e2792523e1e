/**
 * Writes the Homebrew formula for a tarball of `npm pack`, which the registry serves unchanged: `node
 * scripts/write-formula.ts TARBALL FILE`.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

if (import.meta.main) {
  const [tarball, file] = process.argv.slice(2);
  if (tarball === undefined || file === undefined) throw new Error("give the tarball and the name of the formula");
  writeFileSync(file, formulaOf(readFileSync(tarball)));
}

/** Returns the formula for the bytes of the tarball of this version. */
export function formulaOf(tarball: Uint8Array): string {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  const values: Readonly<Record<string, string>> = {
    url: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
    sha256: createHash("sha256").update(tarball).digest("hex"),
  };
  const template = readFileSync(join(root, "packaging", "homebrew", "restante.rb.template"), "utf8");
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_all, key: string) => values[key] ?? "");
}
